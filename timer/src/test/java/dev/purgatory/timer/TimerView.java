package dev.purgatory.timer;

/** The settings of a timer that only tests and the checker change. */
public final class TimerView {
  private TimerView() {}

  /** Sets the number of stripes of a timer, which otherwise depends on the machine. */
  public static Timer.Builder stripes(Timer.Builder builder, int powerOfTwo) {
    return builder.stripes(powerOfTwo);
  }

  /** Sets how long the thread of a timer waits while nothing is scheduled. */
  public static Timer.Builder idleNanos(Timer.Builder builder, long nanos) {
    return builder.idleNanos(nanos);
  }
}
