package dev.purgatory.cluster.node;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Follows a node's log and reports its warnings: every ten seconds, the first new one and the
 * number of others.
 */
public final class WarningTail implements AutoCloseable {
  private static final Pattern WARNING = Pattern.compile("^\\[[^]]*] (WARN|ERROR|FATAL) .*");
  private static final long PAUSE_MILLIS = 10_000;
  private static final int MOST_BYTES = 1 << 20;

  private final Path log;
  private final Consumer<String> out;
  private final Thread thread = new Thread(this::run, "warning-tail");

  private long position;

  /**
   * Creates a tail that ignores everything logged so far.
   *
   * @param log the log, which must exist
   * @param out receives the lines
   */
  public WarningTail(Path log, Consumer<String> out) {
    this.log = log;
    this.out = out;
    this.position = log.toFile().length();
    thread.setDaemon(true);
  }

  /** Starts following the log. */
  public void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Thread.sleep(PAUSE_MILLIS);
        report();
      }
    } catch (InterruptedException | IOException e) {
      // Closed, or the log has been deleted.
    }
  }

  /** Reports the warnings since the last call. */
  void report() throws IOException {
    List<String> warnings = newText().lines().filter(WARNING.asMatchPredicate()).toList();
    if (!warnings.isEmpty()) {
      String more =
          warnings.size() == 1 ? "" : " (and " + (warnings.size() - 1) + " more in the log)";
      out.accept(warnings.get(0) + more);
    }
  }

  private String newText() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      file.seek(position);
      byte[] bytes = new byte[(int) Math.min(file.length() - position, MOST_BYTES)];
      file.readFully(bytes);
      int length = bytes.length;
      while (length > 0 && bytes[length - 1] != '\n') {
        length--; // the rest of that line is still to come
      }
      if (length == 0 && bytes.length == MOST_BYTES) {
        length = bytes.length; // a line that is too long
      }
      position += length;
      return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
