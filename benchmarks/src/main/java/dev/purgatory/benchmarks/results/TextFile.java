package dev.purgatory.benchmarks.results;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads tables that are kept beside a class. */
public final class TextFile {
  private TextFile() {}

  /** Returns the lines of a file, without comments, which begin with {@code #}. */
  public static List<String> lines(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no file " + name + " beside " + beside);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the cells of the lines of a file, which {@code |} separates. */
  public static List<List<String>> cells(Class<?> beside, String name) {
    return lines(beside, name).stream()
        .map(line -> List.of(line.split("\\|", -1)).stream().map(String::strip).toList())
        .toList();
  }
}
