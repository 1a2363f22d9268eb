package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.report.TextTable;
import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Today's ratios beside the published ones.
 *
 * <p>A change counts when it is larger than the noise: the spreads of all the values that both
 * ratios are made of, each from the least JVM to the greatest and relative to the median, added as
 * squares, as what is independent adds up; but at least a tenth, and 2 % for bytes. With three JVMs
 * each that is two to three times the standard error.
 */
public final class Guard {
  static final List<String> COLUMNS =
      List.of("figure", "contender", "published", "today", "change", "noise", "verdict");

  private static final List<String> CONTENDERS =
      List.of(Contenders.PURGATORY.title(), Contenders.PURGATORY_KAFKA.title());

  private final Environment published;
  private final Environment today;
  private final List<Comparison> comparisons;

  private Guard(Results published, Results today) {
    this.published = published.environment();
    this.today = today.environment();
    this.comparisons =
        Figure.ALL.stream()
            .flatMap(
                figure ->
                    CONTENDERS.stream().map(name -> Comparison.of(figure, name, published, today)))
            .toList();
  }

  /**
   * Compares results.
   *
   * @throws IllegalArgumentException if they have nothing in common that is compared; the message
   *     is one line
   */
  public static Guard compare(Results published, Results today) {
    Guard guard = new Guard(published, today);
    if (guard.comparisons.stream().allMatch(each -> each.published().isEmpty())) {
      throw new IllegalArgumentException("what is published has none of the figures");
    }
    if (guard.comparisons.stream().allMatch(each -> each.today().isEmpty() && !each.failed())) {
      throw new IllegalArgumentException("these results have none of the figures, or no kafka");
    }
    return guard;
  }

  /** Whether anything got worse, or failed that did not before. */
  public boolean isWorse() {
    return comparisons.stream().anyMatch(each -> each.verdict().isWorse());
  }

  /** All figures of all contenders. */
  public TextTable table() {
    return new TextTable(
        "Ratios to kafka, published and today",
        COLUMNS,
        comparisons.stream().map(Comparison::cells).toList());
  }

  /** What there is to say of it, one line each; the last says what got worse. */
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    remarks.add(
        "Noise: the spreads of the JVMs' values, added as squares; at least 10 %, 2 % for bytes.");
    remark(remarks, "machine", machine(published), machine(today));
    remark(remarks, "JDK", published.jdk(), today.jdk());
    remarks.add(conclusion());
    return List.copyOf(remarks);
  }

  private static void remark(List<String> remarks, String what, String before, String now) {
    if (!before.equals(now)) {
      remarks.add("Another " + what + ", which moves ratios too: " + now + ", not " + before + ".");
    }
  }

  private static String machine(Environment environment) {
    return environment.cpu() + " with " + environment.cores() + " cores";
  }

  private String conclusion() {
    String worse =
        comparisons.stream()
            .filter(each -> each.verdict().isWorse())
            .map(Comparison::title)
            .collect(Collectors.joining("; "));
    return worse.isEmpty() ? "Nothing got worse." : "Worse: " + worse + ".";
  }
}
