package dev.purgatory.session;

import java.time.Duration;

/**
 * A gap in which the clock of a timer did not run, although it should have: the process was
 * stopped, the machine was suspended or overloaded, or a task blocked the clock's thread. During a
 * gap, touches may have waited in sockets.
 *
 * @param from when the clock should have run: nanoseconds on the clock of the timer
 * @param until when it ran again
 */
public record ClockGap(long from, long until) {

  /**
   * Returns the length of the gap.
   *
   * @return a positive time
   */
  public Duration length() {
    return Duration.ofNanos(until - from);
  }

  /** Describes the gap for logs, by its length. */
  @Override
  public String toString() {
    return "a gap of " + length();
  }
}
