package dev.purgatory.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What picocli does not check by itself. */
final class Options {
  private Options() {}

  /**
   * Refuses a number out of range.
   *
   * @throws ParameterException when it is
   */
  static void checkRange(CommandSpec spec, String option, int value, int from, int to) {
    if (value < from || value > to) {
      throw wrong(spec, option + " must be from " + from + " to " + to + ", not " + value);
    }
  }

  /** That the command cannot be run as it was called, and why, in one line. */
  static ParameterException wrong(CommandSpec spec, String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
