package dev.purgatory.cli;

/** What the launcher found out about the terminal: this JVM cannot ask for standard error alone. */
final class Terminal {
  private Terminal() {}

  /** Whether standard error is a terminal. */
  static boolean isStandardError() {
    return Boolean.getBoolean("purgatory.terminal");
  }
}
