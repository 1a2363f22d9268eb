package dev.purgatory.throttle;

import java.math.BigInteger;

/** The quota of one key: a token bucket. Time is an argument. Not thread-safe. */
final class TokenBucket {

  /*
   * The level is exact: whole tokens, and a fraction in units of one token divided by the nanoseconds of
   * the period. So any number of refills adds as much as one refill for the same time. Products that do not
   * fit a long are computed with BigInteger: they occur only with very large rates or after long pauses.
   *
   * The level never exceeds the burst and never falls below -MOST. With a burst of at most MOST, the
   * difference of two levels fits a long.
   */

  /** The result of {@link #nanosUntil} if the level is never reached. */
  static final long NEVER = Long.MAX_VALUE;

  private Rate rate;
  private long periodNanos;
  private long tokens;
  private long fraction;
  private long time;

  /** Creates a full bucket. */
  TokenBucket(Rate rate, long now) {
    this.rate = rate;
    periodNanos = rate.period().toNanos();
    tokens = rate.burst();
    time = now;
  }

  /** A quotient of whole numbers, at most {@link Long#MAX_VALUE}, and its remainder. */
  private record Quotient(long whole, long rest) {
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    /** Returns (a * b + c) / d, for a, b and the dividend of 0 or more, and d of 1 or more. */
    static Quotient of(long a, long b, long c, long d) {
      long product = a * b;
      long sum = product + c;
      if (Math.multiplyHigh(a, b) == 0 && product >= 0 && sum >= 0) {
        return new Quotient(sum / d, sum % d);
      }
      BigInteger[] exact =
          BigInteger.valueOf(a)
              .multiply(BigInteger.valueOf(b))
              .add(BigInteger.valueOf(c))
              .divideAndRemainder(BigInteger.valueOf(d));
      return new Quotient(exact[0].min(MOST).longValue(), exact[1].longValue());
    }
  }

  /** Returns the available amount; negative if the key is in debt. */
  long tokens() {
    return tokens;
  }

  boolean isFull() {
    return tokens == rate.burst();
  }

  /** Refills for the time since the last call. Ignores a clock that runs backwards. */
  void refill(long now) {
    long elapsed = now - time;
    if (elapsed > 0) {
      time = now;
      Quotient refilled = Quotient.of(rate.amount(), elapsed, fraction, periodNanos);
      fraction = refilled.rest;
      add(refilled.whole);
    }
  }

  /**
   * Refills at the old rate until now, and continues with another one. A full bucket stays full.
   */
  void refill(long now, Rate next) {
    refill(now);
    if (!next.equals(rate)) {
      boolean full = isFull() || next.isUnlimited();
      long nextNanos = next.period().toNanos();
      fraction = Quotient.of(fraction, nextNanos, 0, periodNanos).whole;
      rate = next;
      periodNanos = nextNanos;
      if (full || tokens > next.burst()) {
        fill();
      }
    }
  }

  /**
   * Refills at the old rate until a request of this amount can be released, but not beyond now.
   *
   * @return whether it can be released
   */
  boolean refillFor(long amount, long now) {
    long nanos = nanosUntil(amount);
    boolean inTime = nanos <= now - time;
    if (inTime) {
      refill(time + nanos);
    }
    return inTime;
  }

  private void fill() {
    tokens = rate.burst();
    fraction = 0;
  }

  /** Adds tokens until the bucket is full. */
  void add(long amount) {
    if (amount >= rate.burst() - tokens) {
      fill();
    } else {
      tokens += amount;
    }
  }

  /** Takes tokens, more than there are if need be. */
  void take(long amount) {
    if (!rate.isUnlimited()) {
      tokens = tokens < amount - Rate.MOST ? -Rate.MOST : tokens - amount;
    }
  }

  /** Returns whether a request of this amount can be released. */
  boolean allows(long amount) {
    return !rate.isPaused() && tokens >= needed(amount);
  }

  /** A request that exceeds the burst needs a full bucket. */
  private long needed(long amount) {
    return Math.min(amount, rate.burst());
  }

  /** Returns the time until a request of this amount can be released; 0 if it can be now. */
  long nanosUntil(long amount) {
    if (allows(amount)) {
      return 0;
    }
    return rate.isPaused() ? NEVER : nanosToRefill(needed(amount) - tokens);
  }

  private long nanosToRefill(long missing) {
    long amount = rate.amount();
    return Quotient.of(missing, periodNanos, amount - 1 - fraction, amount).whole; // rounded up
  }
}
