package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads results from a file that the user specifies. */
public final class ResultsFile {
  private ResultsFile() {}

  /**
   * Reads results.
   *
   * @throws IllegalArgumentException if they cannot be read; the message is one line
   */
  public static Results read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException("no such file: " + file);
    }
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("cannot read " + file);
    }
    try {
      @Nullable Results results = ResultsJson.read(file);
      if (results == null) {
        throw new IOException("null");
      }
      return results;
    } catch (IOException e) {
      throw new IllegalArgumentException("no results in " + file + ": " + reason(e), e);
    }
  }

  private static String reason(IOException exception) {
    String message = exception.getMessage();
    return message == null
        ? exception.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }
}
