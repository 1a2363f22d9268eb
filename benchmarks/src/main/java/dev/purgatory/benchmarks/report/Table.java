package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table.
 *
 * @param title the title; empty if the text around the table says what it shows
 * @param header the names of the columns
 * @param rows the rows, each with one cell per column; cells are Markdown
 */
public record Table(String title, List<String> header, List<List<String>> rows) {

  /** Copies the lists. */
  public Table {
    header = List.copyOf(header);
    rows = rows.stream().map(List::copyOf).toList();
  }

  /** Returns the table as Markdown, without its title. */
  String markdown() {
    List<String> rule = header.stream().map(name -> "---").toList();
    return Stream.concat(Stream.of(header, rule), rows.stream())
        .map(cells -> "| " + String.join(" | ", cells) + " |\n")
        .collect(Collectors.joining());
  }
}
