package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.stream.Stream;

/**
 * A panel as a table with a row for each contender and a column for each value of the parameter
 * that varies. A cell contains the median, the range if there are several values, and the ratio to
 * kafka if it is known. Without a median, it is a dash.
 */
final class Grid {
  private final Panel panel;
  private final Scale scale;

  private Grid(Panel panel) {
    this.panel = panel;
    this.scale = Scale.of(panel);
  }

  static TextTable of(Panel panel) {
    return new Grid(panel).table();
  }

  private TextTable table() {
    List<Double> positions = panel.rows().stream().map(panel::position).distinct().toList();
    return new TextTable(
        TextTable.title(panel, scale),
        line("contender", positions.stream().map(this::header)),
        panel.contenders().stream()
            .map(name -> line(name, positions.stream().map(position -> cell(name, position))))
            .toList());
  }

  private static List<String> line(String first, Stream<String> others) {
    return Stream.concat(Stream.of(first), others).toList();
  }

  private String header(double position) {
    return panel.axis().map(name -> name + " " + Numbers.text(position)).orElse(scale.unit());
  }

  private String cell(String contender, double position) {
    return panel.rows().stream()
        .filter(row -> row.contender().equals(contender) && panel.position(row) == position)
        .filter(row -> Double.isFinite(row.median()))
        .map(row -> number(row.median()) + spread(row) + ratio(row))
        .findFirst()
        .orElse(Numbers.NONE);
  }

  private String spread(Row row) {
    boolean several = row.values().size() > 1;
    return several ? " (" + number(row.min()) + "–" + number(row.max()) + ")" : "";
  }

  private String ratio(Row row) {
    boolean hasRatio = panel.has(Palette.KAFKA) && !row.contender().equals(Palette.KAFKA);
    return hasRatio ? ", " + TextTable.ratio(panel, row) : "";
  }

  private String number(double value) {
    return Numbers.text(scale.apply(value));
  }
}
