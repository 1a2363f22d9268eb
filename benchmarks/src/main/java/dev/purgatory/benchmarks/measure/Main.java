package dev.purgatory.benchmarks.measure;

import java.util.Arrays;
import java.util.List;

/** The main class of the JVMs that measure one contender. */
public final class Main {
  private Main() {}

  /**
   * Measures and prints samples on standard output.
   *
   * @param args the name of the measurement, the name of the contender, and settings in the form
   *     {@code name=value}
   */
  public static void main(String[] args) throws Exception {
    List<String> settings = Arrays.asList(args).subList(2, args.length);
    Measurements.named(args[0])
        .create()
        .measure(args[1], Settings.parse(settings), new Output(System.out));
    System.exit(0); // A contender may have left threads behind.
  }
}
