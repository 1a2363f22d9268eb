package dev.purgatory.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** Answers {@code GET /hello}, and leaves every other request without an answer. */
final class SmallHttpServer implements AutoCloseable {
  private static final String HELLO =
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello";

  final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "server");
            thread.setDaemon(true);
            return thread;
          });

  SmallHttpServer() throws IOException {
    threads.execute(this::accept);
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getLocalPort() + path;
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = server.accept();
        threads.execute(() -> serve(connection));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket connection) {
    try (connection;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII))) {
      for (String request; (request = in.readLine()) != null; ) {
        for (String header = in.readLine(); header != null && !header.isEmpty(); ) {
          header = in.readLine();
        }
        arrived.add(request);
        if (request.startsWith("GET /hello ")) {
          connection.getOutputStream().write(HELLO.getBytes(US_ASCII));
        }
      }
    } catch (IOException e) {
      // the client has closed the connection
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    threads.shutdownNow();
  }
}
