package dev.purgatory.examples.spring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Many HTTP connections, on one thread. */
final class Connections implements AutoCloseable {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private final Selector selector = Selector.open();
  private final List<SocketChannel> channels = new ArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
  private final InetSocketAddress server;

  Connections(int port) throws IOException {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  void open(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      SocketChannel channel = SocketChannel.open(server);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
      channels.add(channel);
    }
  }

  /** Sends a GET on every connection. */
  void send(String path) throws IOException {
    byte[] request =
        ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    for (SocketChannel channel : channels) {
      ByteBuffer bytes = ByteBuffer.wrap(request);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Waits for the begin of a response on every connection, and returns the times since then. */
  Histogram responses(long since) throws IOException {
    Histogram nanos = new Histogram(PATIENCE, 3);
    long end = System.nanoTime() + PATIENCE;
    while (nanos.getTotalCount() < channels.size() && System.nanoTime() - end < 0) {
      selector.select(100);
      for (SelectionKey key : selector.selectedKeys()) {
        if (read(key)) {
          nanos.recordValue(Math.max(1, System.nanoTime() - since));
        }
      }
      selector.selectedKeys().clear();
    }
    if (nanos.getTotalCount() < channels.size()) {
      throw new IOException(nanos.getTotalCount() + " of " + channels.size() + " responses");
    }
    return nanos;
  }

  private boolean read(SelectionKey key) throws IOException {
    buffer.clear();
    int bytes = ((SocketChannel) key.channel()).read(buffer);
    if (bytes < 0) {
      throw new IOException("a connection was closed");
    }
    byte[] start = new byte[Math.min(bytes, 12)];
    buffer.flip().get(start);
    String status = new String(start, StandardCharsets.US_ASCII);
    if (status.startsWith("HTTP/1.1 ") && !status.endsWith("200")) {
      throw new IOException(status);
    }
    return status.startsWith("HTTP/1.1 "); // else the rest of a response
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
    selector.close();
  }
}
