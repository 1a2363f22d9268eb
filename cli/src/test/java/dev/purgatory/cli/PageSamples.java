package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The samples that a page of the console receives. */
final class PageSamples implements AutoCloseable {
  private final BufferedReader lines;

  PageSamples(URI page) throws IOException {
    lines =
        new BufferedReader(
            new InputStreamReader(
                page.resolve("/events").toURL().openStream(), StandardCharsets.UTF_8));
  }

  /** Reads samples until one has this text, and returns that one. */
  String await(String text) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.contains(text)) {
      line = lines.readLine();
    }
    assertThat(line).as("the stream ended before " + text).isNotNull();
    return line;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
