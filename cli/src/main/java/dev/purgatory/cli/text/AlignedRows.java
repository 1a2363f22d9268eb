package dev.purgatory.cli.text;

import java.util.List;

/** Aligns rows of text: the first column to the left, all others to the right. */
public final class AlignedRows {
  private static final int GAP = 3;

  private AlignedRows() {}

  /**
   * Formats rows one below the other.
   *
   * @param rows the cells of each row; a row with one cell is a title, which may be wider than its
   *     column
   * @return lines, each terminated by a line break
   */
  public static String of(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        append(line, row.get(column), column == 0, width(rows, column));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  private static void append(StringBuilder line, String cell, boolean left, int width) {
    String padding = " ".repeat(Math.max(0, width - cell.length()));
    line.append(left ? cell + padding : " ".repeat(GAP) + padding + cell);
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream()
        .filter(row -> row.size() > Math.max(column, 1))
        .mapToInt(row -> row.get(column).length())
        .max()
        .orElse(0);
  }
}
