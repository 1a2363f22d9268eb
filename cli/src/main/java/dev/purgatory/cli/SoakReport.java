package dev.purgatory.cli;

import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.load.Reading;
import dev.purgatory.cluster.run.SoakResult;
import java.io.PrintWriter;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** Prints the result of a soak and derives its exit code. */
final class SoakReport {
  private SoakReport() {}

  /** Returns a number of minutes as text. */
  static String minutes(int minutes) {
    return minutes == 1 ? "1 minute" : minutes + " minutes";
  }

  /**
   * Prints what happened to nodes and messages.
   *
   * @param spec the command
   * @param headline the first line
   * @param result the result
   * @return the exit code: 0 if the result is clean, otherwise 1
   */
  static int print(CommandSpec spec, String headline, SoakResult result) {
    LoadStats clients = result.clients();
    PrintWriter out = spec.commandLine().getOut();
    out.println(headline);
    out.printf("  nodes            %s%n", counts(result.disturbances()));
    out.printf(
        "  messages         %,d sent, %,d acknowledged, %,d client errors%n",
        clients.sent(), clients.acknowledged(), clients.errors());
    out.printf("  read during soak %s%n", counts(result.duringSoak()));
    out.printf("  read back        %s%n", counts(result.readBack()));
    out.flush();
    return judge(spec, result);
  }

  private static String counts(Map<String, Integer> disturbances) {
    int sum = disturbances.values().stream().mapToInt(Integer::intValue).sum();
    return disturbances.entrySet().stream()
        .map(entry -> entry.getValue() + " " + entry.getKey())
        .collect(Collectors.joining(", ", sum + ": ", ""));
  }

  private static String counts(Reading reading) {
    return "%,d; %,d lost, %,d duplicates, %,d out of order"
        .formatted(reading.received(), reading.lost(), reading.duplicates(), reading.outOfOrder());
  }

  private static int judge(CommandSpec spec, SoakResult result) {
    PrintWriter err = spec.commandLine().getErr();
    result.clients().firstError().ifPresent(error -> err.println("First client error: " + error));
    result.duringSoak().findings().forEach(finding -> err.println("During the soak: " + finding));
    result.readBack().findings().forEach(finding -> err.println("After the soak: " + finding));
    if (!result.isClean()) {
      err.println(spec.qualifiedName() + ": " + result.verdict());
    }
    err.flush();
    return result.isClean() ? 0 : 1;
  }
}
