package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import java.util.List;

/** The environment of a run as a list of names and texts. */
final class EnvironmentTable {
  private static final double GIB = 1 << 30;

  private EnvironmentTable() {}

  static List<Entry> of(Environment environment) {
    return List.of(
        new Entry("Command", environment.command(), true),
        new Entry("Date", environment.date(), false),
        new Entry("Commit", environment.commit(), true),
        new Entry("Mode", environment.mode(), false),
        new Entry("JDK", environment.jdk(), false),
        new Entry("System", environment.os(), false),
        new Entry("Processor", environment.cpu() + ", " + environment.cores() + " cores", false),
        new Entry("Memory", memory(environment.memoryBytes()), false));
  }

  private static String memory(long bytes) {
    return bytes > 0 ? Numbers.text(bytes / GIB) + " GiB" : "unknown";
  }

  /**
   * An entry.
   *
   * @param name the name
   * @param text the text
   * @param code whether the text is code
   */
  record Entry(String name, String text, boolean code) {}
}
