package dev.purgatory.cli;

import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option {@code --minutes} of soaks. */
final class MinutesOption {
  private static final int MAX_MINUTES = 24 * 60;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "The duration of the load in minutes, from 1 to " + MAX_MINUTES + ".")
  private int minutes = 10;

  /** Returns the minutes, or fails if they are out of range. */
  int checked(CommandSpec spec) {
    Arguments.checkRange(spec, "--minutes", minutes, 1, MAX_MINUTES);
    return minutes;
  }

  /** Returns a number of minutes as text. */
  static String text(long minutes) {
    return minutes == 1 ? "1 minute" : minutes + " minutes";
  }
}
