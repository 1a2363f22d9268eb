package dev.purgatory.benchmarks.results;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes results as JSON. */
public final class ResultsJson {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .build();

  private ResultsJson() {}

  /**
   * Reads results.
   *
   * @throws IOException if the file does not exist or does not contain results
   */
  public static Results read(Path file) throws IOException {
    return JSON.readValue(Files.readString(file), Results.class);
  }

  /**
   * Writes results. Creates the folder if necessary.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Results results, Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Files.writeString(file, JSON.writeValueAsString(results) + "\n");
  }
}
