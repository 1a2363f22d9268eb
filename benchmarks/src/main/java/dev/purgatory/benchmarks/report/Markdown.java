package dev.purgatory.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats tables as Markdown. */
final class Markdown {
  private Markdown() {}

  /** Returns a table; its cells are Markdown, too. */
  static String table(List<String> header, Stream<List<String>> rows) {
    return line(header)
        + line(header.stream().map(name -> "---").toList())
        + rows.map(Markdown::line).collect(Collectors.joining());
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }
}
