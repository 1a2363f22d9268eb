package dev.purgatory.cli;

import dev.purgatory.benchmarks.pair.Loop;
import dev.purgatory.benchmarks.pair.SideBySide;
import dev.purgatory.benchmarks.report.Table;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.cli.bench.ResultTables;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares this build of the library with another one, side by side. */
@Command(
    name = "compare",
    description = {
      "Measures loops with another version of the library and with this one, in one JVM, in turns of"
          + " a few milliseconds, and prints the ratio of this one. The other version is there twice:"
          + " the ratio of its second copy shows what chance does.",
      "Takes about ten seconds for each loop and JVM."
    })
final class BenchCompareCommand implements Callable<Integer> {
  private static final int MOST_JVMS = 100;
  private static final int MOST_TURNS = 100_000;

  @Parameters(
      arity = "1..*",
      paramLabel = "JAR",
      description = "The jars, or folders of classes, of the other version of core and timer.")
  private List<Path> other = List.of();

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "LOOP",
      description = "Measures only these: ${COMPLETION-CANDIDATES}.")
  private List<Loop> only = List.of(Loop.values());

  @Option(
      names = "--jvms",
      defaultValue = "3",
      description = "How many JVMs measure all loops. Default: ${DEFAULT-VALUE}.")
  private int jvms;

  @Option(
      names = "--turns",
      defaultValue = "300",
      description = "How many turns each copy has in each JVM. Default: ${DEFAULT-VALUE}.")
  private int turns;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Arguments.checkRange(spec, "--jvms", jvms, 1, MOST_JVMS);
    Arguments.checkRange(spec, "--turns", turns, 1, MOST_TURNS);
    for (Path each : other) {
      if (!Files.exists(each)) {
        throw Arguments.wrong(spec, "there is no " + each);
      }
    }
    Map<String, List<String[]>> lines = new LinkedHashMap<>();
    for (int i = 0; i < jvms; i++) {
      for (String line : measure()) {
        String[] fields = line.split("\t", -1);
        lines.computeIfAbsent(fields[0], loop -> new ArrayList<>()).add(fields);
      }
    }
    var out = spec.commandLine().getOut();
    out.print(ResultTables.of(table(lines)));
    out.flush();
    return 0;
  }

  private List<String> measure() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms2g", "-Xmx2g", "-cp", System.getProperty("java.class.path")));
    String library =
        other.stream()
            .map(each -> each.toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator));
    command.addAll(List.of(SideBySide.class.getName(), library, String.valueOf(turns)));
    only.forEach(loop -> command.add(loop.name()));
    Process jvm = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    try (var lines = jvm.inputReader(StandardCharsets.UTF_8)) {
      List<String> read = lines.lines().toList();
      if (jvm.waitFor() != 0) {
        throw new IOException("the JVM has failed that measures both versions");
      }
      return read;
    } finally {
      jvm.destroyForcibly(); // if it still runs
    }
  }

  private Table table(Map<String, List<String[]>> lines) {
    return new Table(
        "nanoseconds of a round, JVMs: " + jvms,
        List.of("loop", "other", "this", "ratio", "second copy of the other"),
        lines.entrySet().stream().map(each -> row(each.getKey(), each.getValue())).toList());
  }

  private static List<String> row(String loop, List<String[]> lines) {
    return List.of(
        loop.toLowerCase(Locale.ROOT).replace('_', ' '),
        nanos(values(lines, 1)),
        nanos(values(lines, 2)),
        range(values(lines, 3)),
        range(values(lines, 4)));
  }

  private static List<Double> values(List<String[]> lines, int field) {
    return lines.stream().map(line -> Double.valueOf(line[field])).toList();
  }

  private static String nanos(List<Double> values) {
    return String.format(Locale.ROOT, "%.0f", Row.median(values));
  }

  /** Returns the median, with the smallest and the largest. */
  private static String range(List<Double> values) {
    return String.format(
        Locale.ROOT,
        "%.2f (%.2f–%.2f)",
        Row.median(values),
        Collections.min(values),
        Collections.max(values));
  }
}
