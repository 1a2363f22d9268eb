package dev.purgatory.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of arguments that picocli does not do by itself. */
final class Arguments {
  private Arguments() {}

  /**
   * Checks that a number is within a range.
   *
   * @throws ParameterException if it is not
   */
  static void checkRange(CommandSpec spec, String option, int value, int from, int to) {
    if (value < from || value > to) {
      throw wrong(spec, option + " must be from " + from + " to " + to + ", not " + value);
    }
  }

  /** Returns the exception that ends a wrong call with exit code 2 and one line on why. */
  static ParameterException wrong(CommandSpec spec, String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
