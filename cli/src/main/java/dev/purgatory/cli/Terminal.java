package dev.purgatory.cli;

/** Reads what the launcher detected about the terminal, since a JVM cannot test its streams. */
final class Terminal {
  private Terminal() {}

  /** Returns whether standard error is a terminal. */
  static boolean isStandardError() {
    return Boolean.getBoolean("purgatory.terminal");
  }

  /** Returns whether standard output is a terminal. */
  static boolean isStandardOutput() {
    return Boolean.getBoolean("purgatory.terminal.output");
  }
}
