package dev.purgatory.cluster.disturb;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy that can be shut. While it is shut, connections stay open and data is held back, as
 * if a cable were unplugged. The data is delivered when the gate opens again.
 */
public final class Gate implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 * 1024;
  private static final long STACK_BYTES = 128 * 1024;

  private final ServerSocket entrance;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private boolean shut;

  /**
   * Opens a gate on a free port of the loopback interface.
   *
   * @param target the port to forward to, on the same interface
   * @throws UncheckedIOException if there is no free port
   */
  public Gate(int target) {
    this.target = target;
    try {
      entrance = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a gate: " + e.getMessage(), e);
    }
    start(this::accept);
  }

  /** Returns the port that clients connect to. */
  public int port() {
    return entrance.getLocalPort();
  }

  /** Forwards nothing until {@link #open}. */
  public void shut() {
    lock.lock();
    try {
      shut = true;
    } finally {
      lock.unlock();
    }
  }

  /** Forwards again. */
  public void open() {
    lock.lock();
    try {
      shut = false;
      opened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitOpen() throws InterruptedException {
    lock.lock();
    try {
      while (shut) {
        opened.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Socket client = entrance.accept();
        sockets.add(client);
        start(() -> connect(client));
      } catch (IOException e) {
        // The gate or the connection is closed.
      }
    }
  }

  /** Connects a client to the server, or disconnects the client if the server is down. */
  private void connect(Socket client) {
    try {
      awaitOpen();
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      sockets.add(server);
      // A message comes in pieces. Else each piece but the first waits for the receiver's delayed
      // acknowledgement of the one before: 40 ms on Linux.
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      start(() -> pump(client, server));
      pump(server, client);
    } catch (IOException e) {
      close(client);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Copies bytes until one side ends or fails, and then closes both. */
  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length; (length = in.read(buffer)) >= 0; ) {
        awaitOpen();
        out.write(buffer, 0, length);
      }
    } catch (IOException e) {
      // One side is closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close(from);
      close(to);
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(null, task, "gate", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is unusable anyway.
    }
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    open();
    sockets.forEach(this::close);
  }
}
