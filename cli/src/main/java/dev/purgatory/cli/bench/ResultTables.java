package dev.purgatory.cli.bench;

import dev.purgatory.benchmarks.report.Table;
import dev.purgatory.cli.text.AlignedRows;
import java.util.ArrayList;
import java.util.List;

/** Formats tables for a terminal. */
public final class ResultTables {
  private ResultTables() {}

  /**
   * Formats a table without the marks of Markdown.
   *
   * @return lines, each terminated by a line break
   */
  public static String of(Table table) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of(table.title()));
    rows.add(table.header());
    for (List<String> row : table.rows()) {
      rows.add(row.stream().map(cell -> cell.replace("**", "").replace("`", "")).toList());
    }
    return AlignedRows.of(rows);
  }
}
