package dev.purgatory.benchmarks.measure;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prints the samples of a measurement as they are taken. */
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

  /** Returns an output whose samples have an additional parameter. */
  Output with(String param, Object value) {
    Map<String, String> more = new LinkedHashMap<>(params);
    more.put(param, value.toString());
    return new Output(out, more);
  }

  /** Prints a value; larger values are better. */
  void higherIsBetter(String metric, String unit, double value) {
    print(new Sample(params, metric, unit, true, value));
  }

  /** Prints a value; smaller values are better. */
  void lowerIsBetter(String metric, String unit, double value) {
    print(new Sample(params, metric, unit, false, value));
  }

  private void print(Sample sample) {
    out.println(sample.line());
    out.flush();
  }

  /** Announces the configuration that is measured next, in case it fails. */
  void begin() {
    out.println(Sample.beginning(params));
    out.flush();
  }

  /** Prints a message for the user. */
  void note(String text) {
    out.println(NOTE + text);
    out.flush();
  }
}
