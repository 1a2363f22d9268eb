package dev.purgatory.cli;

import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of arguments that picocli does not perform itself. */
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

  /**
   * Returns a value that is derived from arguments.
   *
   * @param value throws an {@link IllegalArgumentException} if the arguments are invalid
   * @throws ParameterException if the arguments are invalid
   */
  static <T> T checked(CommandSpec spec, Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw wrong(spec, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the exception for invalid arguments: exit code 2 and one line with the reason. */
  static ParameterException wrong(CommandSpec spec, String reason) {
    return new ParameterException(spec.commandLine(), reason);
  }
}
