package dev.purgatory.benchmarks.run;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.contender.Group;
import dev.purgatory.benchmarks.measure.Measurements;
import dev.purgatory.benchmarks.results.TextFile;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Reads the steps of a run: a line for each in {@code full.txt} and {@code quick.txt}. */
final class Steps {
  static final String G1 = "-XX:+UseG1GC";

  private static final int SETTINGS = 5;

  private Steps() {}

  /**
   * Returns the steps of a run.
   *
   * @param mode {@code full} or {@code quick}
   */
  static List<Step> of(String mode) {
    return TextFile.lines(Steps.class, mode + ".txt").stream().map(Steps::parse).toList();
  }

  private static Step parse(String line) {
    List<String> words = List.of(line.split(" ", -1));
    List<String> contenders = List.of(words.get(1).split(",", -1));
    Predicate<Entrant> chosen = each -> contenders.stream().anyMatch(name -> isOf(each, name));
    return new Step(
        Measurements.named(words.get(0)),
        chosen,
        Integer.parseInt(words.get(2)),
        Integer.parseInt(words.get(3)),
        flags(words.get(4)),
        words.subList(SETTINGS, words.size()).stream().map(Steps::setting).toList());
  }

  private static boolean isOf(Entrant entrant, String name) {
    return switch (name) {
      case "all" -> true;
      case "main" -> Group.MAIN.contains(entrant);
      case "alternatives" -> Group.ALTERNATIVE.contains(entrant);
      case "rare" -> Group.RARE.contains(entrant);
      default -> entrant.title().equals(name);
    };
  }

  private static List<String> flags(String heap) {
    return switch (heap) {
      // That of Kafka's redesign proposal, with the JVM's default collector.
      case "proposal" -> heap("200m", G1);
      // Of a broker, with the JVM's default collector.
      case "broker" -> heap("1g", G1);
      // The flags that JMH gives its own forks.
      case "jmh" ->
          heap("1g", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,*.*_avgt_jmhStub");
      default -> heap.startsWith("exactly-") ? exactly(heap.split("-", 2)[1]) : heap(heap);
    };
  }

  private static List<String> heap(String size, String... more) {
    return Stream.concat(Stream.of("-Xms" + size, "-Xmx" + size), Stream.of(more)).toList();
  }

  /** Returns flags that make heap sizes exact and keep the JVM from starting threads. */
  private static List<String> exactly(String size) {
    return heap(
        size,
        "-XX:+UseSerialGC",
        "-XX:MarkSweepAlwaysCompactCount=1",
        "-XX:-ResizeTLAB",
        "-XX:TLABSize=16k",
        "-XX:-UseDynamicNumberOfCompilerThreads");
  }

  /** Replaces the powers of two: up to the number of processors, and to 4 at least. */
  private static String setting(String text) {
    int most = Math.max(4, Runtime.getRuntime().availableProcessors());
    return text.replace(
        "powers",
        IntStream.iterate(1, count -> count <= most, count -> 2 * count)
            .mapToObj(Integer::toString)
            .collect(joining(",")));
  }
}
