package dev.purgatory.benchmarks.measure;

import java.util.Arrays;
import java.util.List;

/** What a JVM runs that measures one contender. */
public final class Main {
  private Main() {}

  /**
   * Measures, and prints samples on standard output.
   *
   * @param args the name of the measurement, that of the contender, and settings, as {@code
   *     name=value}
   */
  public static void main(String[] args) throws Exception {
    List<String> settings = Arrays.asList(args).subList(2, args.length);
    Measurements.named(args[0])
        .create()
        .measure(args[1], Settings.parse(settings), new Output(System.out));
    System.exit(0); // Whatever threads a contender has left.
  }
}
