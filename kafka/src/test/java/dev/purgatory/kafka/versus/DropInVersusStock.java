package dev.purgatory.kafka.versus;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Measurements of the drop-in and of Kafka's own classes. The same program runs in two JVMs, one
 * after the other; only one of them has the drop-in's classes before Kafka's jars.
 */
public record DropInVersusStock(Probes.Results dropIn, Probes.Results stock) {

  /** Measures both and prints the table; takes no arguments. */
  public static void main(String[] args) throws Exception {
    System.out.print(measure().table());
  }

  /** Runs the two JVMs, which takes about fifteen seconds each. */
  static DropInVersusStock measure() throws IOException, InterruptedException {
    return new DropInVersusStock(probe(dropInClassPath()), probe(kafkaClassPath()));
  }

  private static Probes.Results probe(List<String> classPath)
      throws IOException, InterruptedException {
    return Probes.Results.of(ForkedJvm.run(Probes.class, classPath));
  }

  /** Returns the folder that contains the drop-in's classes. */
  static String dropInClasses() {
    return System.getProperty("purgatory.classes");
  }

  static List<String> dropInClassPath() {
    return Stream.concat(Stream.of(dropInClasses()), kafkaClassPath().stream()).toList();
  }

  static List<String> kafkaClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.equals(dropInClasses()))
        .toList();
  }

  String table() {
    return String.join(
        System.lineSeparator(),
        row("", "drop-in", "stock Kafka"),
        row(
            "lost wake-ups, of " + WakeUpProbe.OPERATIONS,
            Long.toString(dropIn.lostWakeUps()),
            Long.toString(stock.lostWakeUps())),
        row(
            "completed operations still reachable, of " + ReachabilityProbe.OPERATIONS,
            Long.toString(dropIn.reachable()),
            Long.toString(stock.reachable())),
        row(
            "wake-ups per second of " + IdleProbe.PURGATORIES + " idle purgatories",
            rate(dropIn.wakeUps()),
            rate(stock.wakeUps())),
        row(
            "earliest of " + EarlinessProbe.OPERATIONS + " expirations, ms after its deadline",
            signedMillis(dropIn.earliestNanos()),
            signedMillis(stock.earliestNanos())),
        row(
            "cancelled timer tasks still reachable, of " + CancelledTasksProbe.TASKS,
            Long.toString(dropIn.cancelled().reachable()),
            Long.toString(stock.cancelled().reachable())),
        row(
            "memory used by cancelled timer tasks, MB",
            megabytes(dropIn.cancelled().bytes()),
            megabytes(stock.cancelled().bytes())),
        row(
            "delayed operations, of 1 that does not expire",
            Long.toString(dropIn.timerlessDelayed()),
            Long.toString(stock.timerlessDelayed())),
        "");
  }

  private static String row(String what, String dropIn, String stock) {
    return String.format(Locale.ROOT, "%-55s %12s %12s", what, dropIn, stock);
  }

  private static String rate(OptionalDouble perSecond) {
    return perSecond.isPresent()
        ? String.format(Locale.ROOT, "%.1f", perSecond.getAsDouble())
        : "unknown";
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / 1e6);
  }

  private static String signedMillis(long nanos) {
    return String.format(Locale.ROOT, "%+.3f", nanos / 1e6);
  }
}
