package dev.purgatory.examples.replicatedlog;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Serves clients and followers of a leader, with one thread for each connection. A client sends
 * many writes at once; they wait in the leader, and not on a thread.
 */
final class LeaderServer implements AutoCloseable {

  /** The first byte on a connection of a client. */
  static final int CLIENT = 'C';

  /** The first byte on a connection of a follower. */
  static final int FOLLOWER = 'F';

  private final Leader leader;
  private final ServerSocket server;

  /** Starts the server on the loopback address, on a free port. */
  LeaderServer(Leader leader) throws IOException {
    this.leader = leader;
    this.server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    daemon(this::accept).start();
  }

  int port() {
    return server.getLocalPort();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        daemon(() -> serve(socket)).start();
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
      socket.setTcpNoDelay(true);
      if (in.readByte() == FOLLOWER) {
        serveFollower(in, out);
      } else {
        serveClient(in, out);
      }
    } catch (IOException e) {
      // The other side is gone. It connects again.
    } catch (IllegalArgumentException e) {
      System.err.println("Closed a connection: " + e.getMessage());
    }
  }

  private void serveFollower(DataInputStream in, DataOutputStream out) throws IOException {
    String name = in.readUTF();
    while (true) {
      List<String> entries = leader.fetch(name, in.readInt()).join();
      out.writeInt(entries.size());
      for (String entry : entries) {
        out.writeUTF(entry);
      }
      out.flush();
    }
  }

  private void serveClient(DataInputStream in, DataOutputStream out) throws IOException {
    // A client that does not read its answers blocks this thread, and not the thread of a follower.
    ExecutorService answers = Executors.newSingleThreadExecutor(LeaderServer::daemon);
    try {
      while (true) {
        long id = in.readLong();
        int copies = in.readByte();
        CompletableFuture<?> unused =
            leader
                .write(in.readUTF(), copies)
                .whenCompleteAsync((acks, error) -> answer(out, id, error), answers);
      }
    } finally {
      answers.shutdownNow();
    }
  }

  private static void answer(DataOutputStream out, long id, @Nullable Throwable error) {
    try {
      out.writeLong(id);
      out.writeUTF(error == null ? "" : String.valueOf(error.getMessage()));
      out.flush();
    } catch (IOException e) {
      // The client is gone, which the thread that reads notices.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
