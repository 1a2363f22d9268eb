package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A panel as text.
 *
 * @param title the title
 * @param header the names of the columns
 * @param rows the rows, each with one cell per column
 */
public record TextTable(String title, List<String> header, List<List<String>> rows) {

  /** Copies the lists. */
  public TextTable {
    header = List.copyOf(header);
    rows = rows.stream().map(List::copyOf).toList();
  }

  static TextTable of(Panel panel) {
    Scale scale = Scale.of(panel);
    List<Column> columns = columns(panel, scale);
    return new TextTable(
        panel.bench() + ": " + title(panel, scale),
        columns.stream().map(Column::name).toList(),
        panel.rows().stream().map(row -> cells(columns, row)).toList());
  }

  /** Returns the title with the unit and with which values are better. */
  static String title(Panel panel, Scale scale) {
    return panel.title() + " (" + scale.unit() + ", " + panel.direction() + ")";
  }

  /** Returns the table as text, with one line per row. */
  String text() {
    return Stream.concat(Stream.of(header), rows.stream())
        .map(cells -> String.join(" | ", cells))
        .collect(joining("\n"));
  }

  private static List<String> cells(List<Column> columns, Row row) {
    return columns.stream().map(column -> column.cell().apply(row)).toList();
  }

  private static List<Column> columns(Panel panel, Scale scale) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("contender", Row::contender));
    panel
        .axis()
        .ifPresent(name -> columns.add(new Column(name, row -> Numbers.text(panel.position(row)))));
    columns.add(new Column("median", row -> Numbers.text(scale.apply(row.median()))));
    columns.add(new Column("min", row -> Numbers.text(scale.apply(row.min()))));
    columns.add(new Column("max", row -> Numbers.text(scale.apply(row.max()))));
    if (panel.has(Palette.KAFKA)) {
      columns.add(new Column("ratio to kafka", row -> ratio(panel, row)));
    }
    if (panel.has(Palette.FLOOR) && !panel.higherIsBetter()) {
      columns.add(new Column("above floor", row -> overhead(panel, row, scale)));
    }
    return columns;
  }

  /** Returns the ratio to kafka, as in the tables of the published page; a dash if unknown. */
  static String ratio(Panel panel, Row row) {
    return panel
        .beside(row, Palette.KAFKA)
        .flatMap(kafka -> Ratio.of(row, kafka, Optional.empty()))
        .map(Numbers::plain)
        .orElse(Numbers.NONE);
  }

  private static String overhead(Panel panel, Row row, Scale scale) {
    return panel
        .beside(row, Palette.FLOOR)
        .filter(floor -> !floor.contender().equals(row.contender()))
        .map(floor -> Numbers.text(scale.apply(row.median() - floor.median())))
        .orElse(Numbers.NONE);
  }

  private record Column(String name, Function<Row, String> cell) {}
}
