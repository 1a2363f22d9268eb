package dev.purgatory.benchmarks.jvm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the voluntary context switches of the threads of this JVM, as Linux reports them: one for
 * each wake-up.
 */
public final class ThreadWakeUps {
  private static final Path THREADS = Path.of("/proc/self/task");
  private static final String COUNTER = "voluntary_ctxt_switches:";

  private ThreadWakeUps() {}

  /** Returns whether this system counts wake-ups. */
  public static boolean areKnown() {
    return Files.isDirectory(THREADS);
  }

  /** Returns the number of wake-ups so far of each live thread, by the system's thread id. */
  public static Map<String, Long> byThread() throws IOException {
    Map<String, Long> waits = new HashMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      for (Path thread : threads) {
        try {
          waits.put(thread.getFileName().toString(), waitsOf(thread));
        } catch (IOException e) {
          // Linux fails in several ways to read about a thread that has just ended.
          if (Files.exists(thread)) {
            throw e;
          }
        }
      }
    }
    return waits;
  }

  private static long waitsOf(Path thread) throws IOException {
    return Files.readAllLines(thread.resolve("status")).stream()
        .filter(line -> line.startsWith(COUNTER))
        .mapToLong(line -> Long.parseLong(line.substring(COUNTER.length()).strip()))
        .findFirst()
        .orElseThrow(() -> new IOException("no " + COUNTER + " in the status of " + thread));
  }
}
