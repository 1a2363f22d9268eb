package dev.purgatory.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void manyRefills_addUpToOne() {
    Rate rate = new Rate(7, Duration.ofMinutes(11), 1_000_000);
    TokenBucket often = empty(rate);
    TokenBucket once = empty(rate);
    Random random = new Random(1);
    long now = 0;
    for (int i = 0; i < 10_000; i++) {
      now += random.nextLong(1, 1_000_000_007);
      often.refill(now);
    }
    once.refill(now);
    assertThat(often.tokens()).isEqualTo(once.tokens()).isPositive();
    assertThat(often.nanosUntil(1_000)).isEqualTo(once.nanosUntil(1_000));
  }

  private static TokenBucket empty(Rate rate) {
    TokenBucket bucket = new TokenBucket(rate, 0);
    bucket.take(rate.burst());
    return bucket;
  }

  @Test
  void nanosUntil_isExact_forAnyRate() {
    Random random = new Random(2);
    for (int i = 0; i < 20_000; i++) {
      Rate rate = new Rate(1 + any(random), Duration.ofNanos(1 + any(random)), 1 + any(random) / 2);
      TokenBucket bucket = empty(rate);
      bucket.take(any(random));
      bucket.refill(any(random) / 4);
      long start = Long.MAX_VALUE / 4;
      bucket.refill(start);
      long amount = any(random);
      long nanos = bucket.nanosUntil(amount);
      if (nanos > 0 && nanos < Long.MAX_VALUE / 2) {
        bucket.refill(start + nanos - 1);
        assertThat(bucket.allows(amount)).as("1 ns early with %s", rate).isFalse();
        bucket.refill(start + nanos);
        assertThat(bucket.allows(amount)).as("in time with %s", rate).isTrue();
      } else {
        assertThat(bucket.allows(amount)).isEqualTo(nanos == 0);
      }
    }
  }

  /** Returns numbers of all magnitudes, less than the greatest. */
  private static long any(Random random) {
    return random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
  }

  @Test
  void extremes_doNotOverflow() {
    TokenBucket bucket =
        new TokenBucket(new Rate(Long.MAX_VALUE, Duration.ofNanos(2), Rate.MOST), 0);
    bucket.take(Long.MAX_VALUE);
    bucket.take(Long.MAX_VALUE);
    assertThat(bucket.tokens()).isEqualTo(-Rate.MOST);
    assertThat(bucket.nanosUntil(Long.MAX_VALUE)).isEqualTo(2);
    bucket.refill(Long.MAX_VALUE);
    assertThat(bucket.isFull()).isTrue();
    bucket.add(Long.MAX_VALUE);
    assertThat(bucket.tokens()).isEqualTo(Rate.MOST);

    TokenBucket slow = empty(new Rate(1, Duration.ofNanos(Long.MAX_VALUE), Rate.MOST));
    assertThat(slow.nanosUntil(Rate.MOST)).isEqualTo(TokenBucket.NEVER);
    assertThat(slow.nanosUntil(1)).isEqualTo(Long.MAX_VALUE);
    slow.refill(Long.MAX_VALUE - 1);
    assertThat(slow.tokens()).isZero();
    slow.refill(Long.MAX_VALUE);
    assertThat(slow.tokens()).isEqualTo(1);
  }

  @Test
  void clockThatRunsBackwards_refillsNothing() {
    TokenBucket bucket = empty(new Rate(10, SECOND, 10));
    bucket.refill(SECOND.toNanos() / 2);
    bucket.refill(0);
    assertThat(bucket.tokens()).isEqualTo(5);
    bucket.refill(SECOND.toNanos() / 2);
    assertThat(bucket.tokens()).isEqualTo(5);
  }

  @Test
  void changeOfRate_keepsTheFractionOfAToken() {
    TokenBucket bucket = empty(Rate.per(1, Duration.ofHours(1)));
    long minute = Duration.ofMinutes(1).toNanos();
    for (int i = 1; i < 60; i++) {
      bucket.refill(i * minute, Rate.per(1, Duration.ofHours(i % 2 == 0 ? 1 : 2)));
    }
    assertThat(bucket.tokens()).isZero();
    bucket.refill(89 * minute + minute);
    assertThat(bucket.tokens()).isEqualTo(1);
  }

  @Test
  void changeOfRate_cutsOffWhatExceedsTheBurst_andAFullBucketStaysFull() {
    TokenBucket bucket = new TokenBucket(new Rate(1, SECOND, 10), 0);
    bucket.refill(0, new Rate(1, SECOND, 20));
    assertThat(bucket.tokens()).isEqualTo(20);
    bucket.take(5);
    bucket.refill(0, Rate.paused());
    assertThat(bucket.tokens()).isEqualTo(15);
    assertThat(bucket.allows(0)).isFalse();
    assertThat(bucket.nanosUntil(0)).isEqualTo(TokenBucket.NEVER);
    bucket.refill(SECOND.toNanos(), new Rate(1, SECOND, 10));
    assertThat(bucket.tokens()).isEqualTo(10);
    bucket.take(50);
    bucket.refill(SECOND.toNanos(), Rate.unlimited());
    assertThat(bucket.isFull()).isTrue();
  }

  @Test
  void badRates_areRejected() {
    for (Runnable bad :
        new Runnable[] {
          () -> Rate.perSecond(0),
          () -> Rate.perSecond(-1),
          () -> Rate.per(1, Duration.ZERO),
          () -> Rate.per(1, Duration.ofDays(200_000)),
          () -> new Rate(1, Duration.ofSeconds(1), 0),
          () -> new Rate(1, Duration.ofSeconds(1), Long.MAX_VALUE),
          () -> new Rate(-1, SECOND, 1)
        }) {
      assertThatThrownBy(bad::run).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Rate.perSecond(Long.MAX_VALUE).burst()).isEqualTo(Rate.MOST);
  }
}
