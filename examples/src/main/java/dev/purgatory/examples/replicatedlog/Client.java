package dev.purgatory.examples.replicatedlog;

import dev.purgatory.Replies;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes to a log over one connection. Many writes can wait at once. Thread-safe. */
final class Client implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Replies<Long, String> replies =
      Replies.builder("log-client", Long.class, String.class).build();
  private final AtomicLong lastId = new AtomicLong();
  private final Socket socket;
  private final DataOutputStream out;
  private volatile @Nullable IOException lost;

  Client(int leaderPort) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), leaderPort);
    socket.setTcpNoDelay(true);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    out.writeByte(LeaderServer.CLIENT);
    Thread reader = new Thread(this::readReplies, "log-client");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Writes an entry.
   *
   * @param copies how many replicas must have it
   * @return done when it is acknowledged. If it fails, replicas may have the entry nevertheless
   */
  CompletableFuture<String> write(String entry, int copies) {
    long id = lastId.incrementAndGet();
    CompletableFuture<String> reply = replies.expect(id, TIMEOUT);
    try {
      send(id, entry, copies);
    } catch (IOException e) {
      replies.fail(id, e);
    }
    IOException cause = lost; // read after `expect`: failAll may have missed it
    if (cause != null) {
      replies.fail(id, cause);
    }
    return reply;
  }

  private synchronized void send(long id, String entry, int copies) throws IOException {
    out.writeLong(id);
    out.writeByte(copies);
    out.writeUTF(entry);
    out.flush();
  }

  private void readReplies() {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
      while (true) {
        long id = in.readLong();
        String error = in.readUTF();
        boolean unused =
            error.isEmpty() ? replies.complete(id, "") : replies.fail(id, new IOException(error));
      }
    } catch (IOException e) {
      lost = new IOException("connection lost", e); // before failAll
      replies.failAll(lost);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    replies.close();
  }
}
