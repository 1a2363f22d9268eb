package dev.purgatory.throttle;

import java.time.Duration;

/**
 * How much the requests of a key may use over time: an amount per period, and a burst. A key that
 * was idle can use its burst at once. Used tokens are refilled continuously, in proportion to time.
 *
 * @param amount the amount that is refilled in each period, in any unit, such as bytes or requests.
 *     Zero: nothing is refilled, and no request is released
 * @param period the period, from 1 ns to 292 years
 * @param burst the most that can be saved up, from 1 to {@link #MOST}
 */
public record Rate(long amount, Duration period, long burst) {

  /** The largest burst, and the largest debt: 2<sup>62</sup> - 1. */
  public static final long MOST = Long.MAX_VALUE / 2;

  private static final Duration NANOSECOND = Duration.ofNanos(1);
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final Rate UNLIMITED = new Rate(Long.MAX_VALUE, NANOSECOND, MOST);
  private static final Rate PAUSED = new Rate(0, NANOSECOND, MOST);

  /**
   * Creates a rate.
   *
   * @param amount the amount that is refilled in each period, 0 or more
   * @param period the period, from 1 ns to 292 years
   * @param burst the most that can be saved up, from 1 to {@link #MOST}
   * @throws IllegalArgumentException if a value is out of its range
   */
  public Rate {
    if (amount < 0) {
      throw new IllegalArgumentException("amount " + amount + " is negative");
    }
    if (period.compareTo(NANOSECOND) < 0 || period.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("period " + period + " is not from 1 ns to 292 years");
    }
    if (burst < 1 || burst > MOST) {
      throw new IllegalArgumentException("burst " + burst + " is not from 1 to " + MOST);
    }
  }

  /**
   * Returns a rate whose burst is the amount of one second.
   *
   * @param amount per second, 1 or more
   * @return the rate
   * @throws IllegalArgumentException if the amount is not positive
   */
  public static Rate perSecond(long amount) {
    return per(amount, Duration.ofSeconds(1));
  }

  /**
   * Returns a rate whose burst is the amount of one period.
   *
   * @param amount per period, 1 or more
   * @param period the period, from 1 ns to 292 years
   * @return the rate
   * @throws IllegalArgumentException if the amount is not positive, or the period is out of its
   *     range
   */
  public static Rate per(long amount, Duration period) {
    if (amount < 1) {
      throw new IllegalArgumentException("amount " + amount + " is not positive; see paused()");
    }
    return new Rate(amount, period, Math.min(amount, MOST));
  }

  /**
   * Returns the rate that releases every request at once, and forgives debts.
   *
   * @return the rate
   */
  public static Rate unlimited() {
    return UNLIMITED;
  }

  /**
   * Returns the rate that releases no request.
   *
   * @return the rate
   */
  public static Rate paused() {
    return PAUSED;
  }

  boolean isUnlimited() {
    return equals(UNLIMITED);
  }

  boolean isPaused() {
    return amount == 0;
  }
}
