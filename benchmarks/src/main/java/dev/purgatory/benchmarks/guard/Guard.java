package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.report.TextTable;
import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Compares today's ratios with the published ones.
 *
 * <p>A change counts if it is larger than the noise. The noise is the root of the sum of the
 * squared spreads of both ratios. A spread is the range over all rounds, relative to the median.
 * The noise is at least 10 %, or 2 % for bytes. With three rounds, it is two to three times the
 * standard error.
 */
public final class Guard {
  static final List<String> COLUMNS =
      List.of("figure", "contender", "published", "today", "change", "noise", "verdict");

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
                    figure.contenders().stream()
                        .map(name -> Comparison.of(figure, name, published, today)))
            .toList();
  }

  /**
   * Compares results.
   *
   * @throws IllegalArgumentException if the results have no figure in common; the message is one
   *     line
   */
  public static Guard compare(Results published, Results today) {
    Guard guard = new Guard(published, today);
    if (guard.comparisons.stream().allMatch(each -> each.published().isEmpty())) {
      throw new IllegalArgumentException("the published results contain none of the figures");
    }
    if (guard.comparisons.stream().allMatch(each -> each.today().isEmpty() && !each.failed())) {
      throw new IllegalArgumentException("the results contain none of the figures, or no kafka");
    }
    return guard;
  }

  /** Returns whether any figure got worse, or failed although it did not in the published run. */
  public boolean isWorse() {
    return comparisons.stream().anyMatch(each -> each.verdict().isWorse());
  }

  /** Returns a table of all figures of all contenders. */
  public TextTable table() {
    return new TextTable(
        "Ratios to kafka, or to the rival that is named, published and today",
        COLUMNS,
        comparisons.stream().map(Comparison::cells).toList());
  }

  /** Returns remarks about the comparison, one line each. The last line lists what got worse. */
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    remarks.add(
        "Noise: the root of the sum of the squared spreads of both ratios; at least 10 %, or 2 % for bytes.");
    remark(remarks, "machine", machine(published), machine(today));
    remark(remarks, "JDK", published.jdk(), today.jdk());
    remarks.add(conclusion());
    return List.copyOf(remarks);
  }

  private static void remark(List<String> remarks, String what, String before, String now) {
    if (!before.equals(now)) {
      remarks.add(
          "Different "
              + what
              + ", which also affects ratios: "
              + now
              + " instead of "
              + before
              + ".");
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
