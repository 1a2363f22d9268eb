package dev.purgatory.benchmarks.measure;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a measurement tells what it has measured, as it goes. */
final class Output {
  private static final String NOTE = "note\t";

  private final PrintStream out;
  private final Map<String, String> params;

  Output(PrintStream out) {
    this(out, Map.of());
  }

  private Output(PrintStream out, Map<String, String> params) {
    this.out = out;
    this.params = params;
  }

  /** What is told here has one parameter more. */
  Output with(String param, Object value) {
    Map<String, String> more = new LinkedHashMap<>(params);
    more.put(param, value.toString());
    return new Output(out, more);
  }

  /** Tells a number of which the larger wins. */
  void higherIsBetter(String metric, String unit, double value) {
    print(new Sample(params, metric, unit, true, value));
  }

  /** Tells a number of which the smaller wins. */
  void lowerIsBetter(String metric, String unit, double value) {
    print(new Sample(params, metric, unit, false, value));
  }

  private void print(Sample sample) {
    out.println(sample.line());
    out.flush();
  }

  /** Tells what is measured next, in case that it fails. */
  void begin() {
    out.println(Sample.beginning(params));
    out.flush();
  }

  /** Tells people something. */
  void note(String text) {
    out.println(NOTE + text);
    out.flush();
  }
}
