package dev.purgatory.cluster.disturb;

/** A process that can be disturbed, and that others reach only through gates. */
public interface Disturbed {

  /** Returns the name for messages, such as {@code node 1}. */
  String name();

  /** Returns whether the process is running. */
  boolean isAlive();

  /** Kills the process as a crash would. */
  void kill();

  /** Starts the process again. */
  void start();

  /** Suspends the process. */
  void pause();

  /** Resumes the process. */
  void resume();

  /** Shuts the gates. */
  void shut();

  /** Opens the gates. */
  void open();
}
