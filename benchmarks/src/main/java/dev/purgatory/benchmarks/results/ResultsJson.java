package dev.purgatory.benchmarks.results;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps results in a JSON file. */
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
   * @throws IOException if there is no such file, or it does not hold results
   */
  public static Results read(Path file) throws IOException {
    return JSON.readValue(Files.readString(file), Results.class);
  }

  /**
   * Writes results, into a folder that is made if need be.
   *
   * @throws IOException if that is not possible
   */
  public static void write(Results results, Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Files.writeString(file, JSON.writeValueAsString(results) + "\n");
  }
}
