package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The report of a run: a page, charts, and tables as text. */
public final class Report {
  private final Results results;
  private final List<Panel> panels;

  private Report(Results results) {
    this.results = results;
    this.panels = Panels.of(results.rows());
  }

  /**
   * Creates a report.
   *
   * @param results the measured values
   */
  public static Report of(Results results) {
    return new Report(results);
  }

  /** Returns the tables as text, in the order of the page. */
  public List<TextTable> tables() {
    return panels.stream().map(TextTable::of).toList();
  }

  /** Returns the report as a self-contained HTML page. */
  public String html() {
    return HtmlPage.of(results.environment(), panels);
  }

  /**
   * Writes the HTML page.
   *
   * @param file the file, which is replaced if it exists
   * @throws IOException if the file cannot be written
   */
  public void writeHtml(Path file) throws IOException {
    Files.writeString(file, html());
  }

  /**
   * Writes the published charts, each to its own file.
   *
   * @param folder the folder, which is created if necessary; existing charts are replaced
   * @return the files
   * @throws IOException if a file cannot be written
   */
  public List<Path> writePublishedCharts(Path folder) throws IOException {
    return write(Question.charts(results), folder);
  }

  /**
   * Writes each chart to its own file, except for charts whose values are all 0.
   *
   * @param folder the folder, which is created if necessary; existing charts are replaced
   * @return the files, in the order of the page
   * @throws IOException if a file cannot be written
   */
  public List<Path> writeCharts(Path folder) throws IOException {
    return write(
        panels.stream()
            .filter(Panel::isDrawn)
            .map(panel -> Drawing.of(panel, results.environment()))
            .toList(),
        folder);
  }

  private static List<Path> write(List<Drawing> charts, Path folder) throws IOException {
    Files.createDirectories(folder);
    List<Path> files = new ArrayList<>();
    for (Drawing chart : charts) {
      files.add(Files.writeString(folder.resolve(chart.file()), SvgChart.of(chart) + "\n"));
    }
    return files;
  }
}
