package dev.purgatory.internal;

/** A timer entry for the library's housekeeping, which is not counted as scheduled. */
public final class Alarm extends TaskEntry {

  /**
   * Creates an alarm.
   *
   * @param deadline when it is due, in nanoseconds on the clock of its timer
   * @param task runs on the thread that drives the clock
   */
  public Alarm(long deadline, Runnable task) {
    super(deadline, task);
  }
}
