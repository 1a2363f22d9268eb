package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import java.util.List;

/** Where, when and how the run was made, and how to make it again. */
final class EnvironmentTable {
  private static final double GIB = 1 << 30;

  private EnvironmentTable() {}

  static List<Entry> of(Environment environment) {
    return List.of(
        new Entry("Made by", environment.command(), true),
        new Entry("When", environment.date(), false),
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
   * One fact.
   *
   * @param name what it is called
   * @param text what it is
   * @param code whether that is something to be typed
   */
  record Entry(String name, String text, boolean code) {}
}
