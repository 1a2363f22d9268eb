package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.report.TextTable;
import dev.purgatory.cli.text.AlignedRows;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Formats the tables of a report for a terminal. */
public final class ResultTables {
  private ResultTables() {}

  /**
   * Formats tables one below the other.
   *
   * @param tables the tables
   * @return lines, each terminated by a line break
   */
  public static String of(List<TextTable> tables) {
    return tables.stream()
        .map(ResultTables::text)
        .collect(Collectors.joining(System.lineSeparator()));
  }

  private static String text(TextTable table) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of(table.title()));
    rows.add(table.header());
    rows.addAll(table.rows());
    return AlignedRows.of(rows);
  }
}
