package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Updates the published results of a checkout: the charts below {@code docs/charts} and the
 * generated parts of {@code docs/benchmarks.md}, both from {@code benchmarks/results}.
 */
public final class Publication {
  private final Path home;

  /**
   * Creates a publication.
   *
   * @param home the root of the checkout
   */
  public Publication(Path home) {
    this.home = home;
  }

  /** Returns the page that is updated. */
  public Path page() {
    return home.resolve("docs/benchmarks.md");
  }

  /**
   * Writes the charts and the page. Deletes charts that are no longer shown.
   *
   * @return the charts
   * @throws IllegalArgumentException if the page refers to an unknown part
   * @throws IOException if the results or the page cannot be read, or a file cannot be written
   */
  public List<Path> write() throws IOException {
    String filled = filledPage();
    List<Path> charts = new ArrayList<>();
    for (String run : Runs.CHARTED) {
      charts.addAll(writeCharts(run, results(run)));
    }
    Files.writeString(page(), filled);
    return charts;
  }

  /** Returns the page with all generated parts up to date. */
  String filledPage() throws IOException {
    return PublishedPage.fill(Files.readString(page()), runs());
  }

  private Runs runs() throws IOException {
    Map<String, Results> byName = new LinkedHashMap<>();
    for (String name : Runs.NAMES) {
      byName.put(name, results(name));
    }
    return new Runs(byName);
  }

  private Results results(String name) throws IOException {
    return ResultsJson.read(home.resolve("benchmarks/results").resolve(name + ".json"));
  }

  private List<Path> writeCharts(String name, Results results) throws IOException {
    Path folder = home.resolve("docs/charts").resolve(name);
    List<Path> written = Report.of(results).writePublishedCharts(folder);
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*.svg")) {
      for (Path file : all) {
        if (!written.contains(file)) {
          Files.delete(file);
        }
      }
    }
    return written;
  }
}
