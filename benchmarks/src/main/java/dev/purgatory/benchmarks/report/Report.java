package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What people read of a run: one page, one chart for each panel, and the same as text. */
public final class Report {
  private final Results results;
  private final List<Panel> panels;

  private Report(Results results) {
    this.results = results;
    this.panels = Panels.of(results.rows());
  }

  /**
   * Arranges results for reading.
   *
   * @param results what was measured
   */
  public static Report of(Results results) {
    return new Report(results);
  }

  /** The tables as text, in the order of the page. */
  public List<TextTable> tables() {
    return panels.stream().map(TextTable::of).toList();
  }

  /** The page: one file that needs no other. */
  public String html() {
    return HtmlPage.of(results.environment(), panels);
  }

  /**
   * Writes the page.
   *
   * @param file where to; an existing file is replaced
   * @throws IOException if that is not possible
   */
  public void writeHtml(Path file) throws IOException {
    Files.writeString(file, html());
  }

  /**
   * The tables as Markdown that shows the charts beside it. The same results give the same text.
   *
   * @param source the name of the file that the results are kept in
   */
  public String markdown(String source) {
    return MarkdownPage.of(source, results.environment(), panels);
  }

  /**
   * Writes the tables as Markdown.
   *
   * @param file where to; an existing file is replaced
   * @param source the name of the file that the results are kept in
   * @throws IOException if that is not possible
   */
  public void writeMarkdown(Path file, String source) throws IOException {
    Files.writeString(file, markdown(source));
  }

  /**
   * Writes the charts that the repository shows, each into a file of its own.
   *
   * @param folder where to; it is made if need be, and charts that are there are replaced
   * @return the files
   * @throws IOException if that is not possible
   */
  public List<Path> writePublishedCharts(Path folder) throws IOException {
    return write(Question.charts(results), folder);
  }

  /**
   * Writes each chart into a file of its own, but for those on which all is 0.
   *
   * @param folder where to; it is made if need be, and charts that are there are replaced
   * @return the files, in the order of the page
   * @throws IOException if that is not possible
   */
  public List<Path> writeCharts(Path folder) throws IOException {
    return write(panels.stream().filter(Panel::isDrawn).toList(), folder);
  }

  private static List<Path> write(List<Panel> charts, Path folder) throws IOException {
    Files.createDirectories(folder);
    List<Path> files = new ArrayList<>();
    for (Panel panel : charts) {
      Path file = folder.resolve(panel.id() + ".svg");
      files.add(Files.writeString(file, SvgChart.of(panel) + "\n"));
    }
    return files;
  }
}
