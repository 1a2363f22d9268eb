package dev.purgatory.examples.replicatedlog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A log in a file, with one entry per line. What was appended survives the process, though not a
 * power failure, as nothing is flushed to the disk. Thread-safe.
 */
final class LogFile {
  private final Path file;
  private final List<String> entries;

  private LogFile(Path file, List<String> entries) {
    this.file = file;
    this.entries = entries;
  }

  /** Opens or creates a log. Removes a last line that the process did not finish before it died. */
  static LogFile open(Path file) throws IOException {
    byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    String text = new String(bytes, StandardCharsets.UTF_8);
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    Files.writeString(file, whole);
    return new LogFile(file, new ArrayList<>(whole.lines().toList()));
  }

  /**
   * Appends an entry.
   *
   * @return the number of entries that the log then has
   * @throws IllegalArgumentException if the entry has more than one line
   */
  synchronized int append(String entry) {
    if (entry.contains("\n") || entry.contains("\r")) {
      throw new IllegalArgumentException("an entry is one line");
    }
    try {
      Files.writeString(file, entry + '\n', StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    entries.add(entry);
    return entries.size();
  }

  /** Returns the number of entries. */
  synchronized int end() {
    return entries.size();
  }

  /** Returns entries from an index on, at most some. */
  synchronized List<String> read(int from, int most) {
    int to = Math.min(entries.size(), from + most);
    return List.copyOf(entries.subList(from, to));
  }
}
