package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.Html.escape;

import dev.purgatory.benchmarks.results.Environment;

/** Where, when and how the run was made, and how to make it again. */
final class EnvironmentTable {
  private static final double GIB = 1 << 30;

  private EnvironmentTable() {}

  static String of(Environment environment) {
    return "<dl>\n"
        + entry("Made by", "<code>" + escape(environment.command()) + "</code>")
        + entry("When", escape(environment.date()))
        + entry("Commit", "<code>" + escape(environment.commit()) + "</code>")
        + entry("Mode", escape(environment.mode()))
        + entry("JDK", escape(environment.jdk()))
        + entry("System", escape(environment.os()))
        + entry("Processor", escape(environment.cpu() + ", " + environment.cores() + " cores"))
        + entry("Memory", escape(memory(environment.memoryBytes())))
        + "</dl>\n";
  }

  private static String entry(String name, String html) {
    return "<dt>" + name + "</dt><dd>" + html + "</dd>\n";
  }

  private static String memory(long bytes) {
    return bytes > 0 ? Numbers.text(bytes / GIB) + " GiB" : "unknown";
  }
}
