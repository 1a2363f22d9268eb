package dev.purgatory.checker.programs;

import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A server is stopped for longer than its sessions' timeout: no client that goes on loses one. */
final class SuspendedServer {
  private static final int CLIENTS = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(4);
  private static final Duration STOPPED = Duration.ofSeconds(10);
  private static final long HEARTBEAT_MILLIS = 500;

  /** What a server does for a message, besides the touch. */
  private static final long WORK_NANOS = 50_000;

  private SuspendedServer() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      serve();
    } else {
      stopAndContinue();
    }
  }

  /** Starts the server in another JVM, connects, stops it, and lets it go on. */
  private static void stopAndContinue() throws Exception {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                SuspendedServer.class.getName(),
                "serve")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
      int port = Integer.parseInt(String.valueOf(out.readLine()));
      Thread clients = new Thread(() -> sendHeartbeats(port));
      clients.setDaemon(true);
      clients.start();
      Object unused = out.readLine(); // all are connected
      Thread.sleep(TIMEOUT.toMillis());
      signal("STOP", server);
      Thread.sleep(STOPPED.toMillis());
      signal("CONT", server);
      Thread.sleep(2 * TIMEOUT.toMillis());
      server.getOutputStream().write('\n');
      server.getOutputStream().flush();
      System.out.println("sessions lost: " + out.readLine());
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  private static void signal(String name, Process process) throws Exception {
    int exit =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    if (exit != 0) {
      throw new IllegalStateException("kill -" + name + " failed");
    }
  }

  /** Each client goes on with its heartbeats, whatever the server does. */
  private static void sendHeartbeats(int port) {
    try {
      List<OutputStream> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        clients.add(socket.getOutputStream());
      }
      do {
        for (OutputStream client : clients) {
          client.write(1);
        }
      } while (Wait.sleep(HEARTBEAT_MILLIS));
    } catch (IOException e) {
      // the server has ended
    }
  }

  /** Prints the port, a line when all clients are connected, and how many sessions were lost. */
  private static void serve() throws IOException {
    AtomicInteger lost = new AtomicInteger();
    Timer timer = Timer.builder().start("clock");
    Sessions<Integer, String> sessions =
        new Sessions<>(timer, TIMEOUT, end -> lost.incrementAndGet());
    Selector selector = Selector.open();
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CLIENTS);
    System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
    for (int i = 0; i < CLIENTS; i++) {
      SocketChannel client = server.accept();
      client.configureBlocking(false);
      SelectionKey unused = client.register(selector, SelectionKey.OP_READ, i);
      var unusedSession = sessions.open(i, "client");
    }
    System.out.println("connected");
    Thread selecting = new Thread(() -> read(selector, sessions));
    selecting.setDaemon(true);
    selecting.start();
    int unused = System.in.read();
    System.out.println(lost);
  }

  /** One thread reads from all sockets, one message at a time. */
  private static void read(Selector selector, Sessions<Integer, String> sessions) {
    ByteBuffer message = ByteBuffer.allocate(1);
    try {
      while (true) {
        int unused = selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          message.clear();
          unused = ((SocketChannel) key.channel()).read(message);
          for (long begin = System.nanoTime(); System.nanoTime() - begin < WORK_NANOS; ) {
            Thread.onSpinWait();
          }
          @Nullable Object client = key.attachment();
          boolean unusedTouch = sessions.touch((Integer) client);
        }
        selector.selectedKeys().clear();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
