package dev.purgatory.wheel;

import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A view of the wheels of a timer, for the checker. Each stripe is read under its lock. The view as
 * a whole is consistent while no thread changes the timer.
 */
@SuppressWarnings("exports") // The checker is not a module.
public final class WheelsView {

  /**
   * The state of a stripe.
   *
   * @param tickNanos the length of a tick
   * @param clock the tick that the clock has reached
   * @param nextDue the time until which the clock may sleep, in nanoseconds
   * @param size the number of entries as published by the stripe
   * @param countedSize the number of entries as counted by the wheels
   * @param queueSize the number of buckets in the queue
   * @param due the entries that are due
   * @param buckets the buckets of all wheels
   */
  public record StripeState(
      long tickNanos,
      long clock,
      long nextDue,
      int size,
      int countedSize,
      int queueSize,
      List<TimerEntry> due,
      List<BucketState> buckets) {}

  /**
   * The state of a bucket.
   *
   * @param resolution the number of ticks that the bucket spans
   * @param due the tick at which the clock looks at the bucket
   * @param isMarkedQueued whether the bucket is marked as queued
   * @param isQueued whether the bucket is in the queue
   * @param isMarkedSplitting whether the bucket is marked as being split
   * @param isSplitting whether the bucket is on the list of buckets that are being split
   * @param isWaiting whether the bucket is visited for its first entry
   * @param entries the entries, in order
   */
  public record BucketState(
      long resolution,
      long due,
      boolean isMarkedQueued,
      boolean isQueued,
      boolean isMarkedSplitting,
      boolean isSplitting,
      boolean isWaiting,
      List<TimerEntry> entries) {}

  private final WheelTimer timer;

  /** Creates a view of a timer. */
  public WheelsView(Timer timer) {
    this.timer = wheels(timer);
  }

  /** Returns the wheels of a timer. */
  static WheelTimer wheels(Timer timer) {
    return TimerInternals.of(timer).wheels();
  }

  /** Advances wheels by as many steps as the array is long, and returns the number of entries. */
  static int advance(TimingWheels wheels, long now, TimerEntry[] fired) {
    List<TimerEntry> due = new ArrayList<>();
    boolean unused = wheels.advance(now, fired.length, due);
    due.toArray(fired);
    return due.size();
  }

  /** Returns the states of all stripes. */
  public List<StripeState> stripes() {
    return Stream.of(timer.stripes).map(WheelsView::state).toList();
  }

  /** Returns the number of buckets, of references to them, and of places for them. */
  public long slotsOfWheels() {
    return Stream.of(timer.stripes)
        .map(stripe -> stripe.wheels)
        .mapToLong(wheels -> wheels.slots() + 2L * wheels.buckets().size())
        .sum();
  }

  private static StripeState state(Stripe stripe) {
    stripe.lock();
    try {
      return state(stripe, stripe.wheels);
    } finally {
      stripe.unlock();
    }
  }

  private static StripeState state(Stripe stripe, TimingWheels wheels) {
    List<BucketState> buckets =
        wheels.buckets().stream()
            .filter(bucket -> bucket != wheels.due)
            .map(bucket -> state(bucket, wheels))
            .toList();
    return new StripeState(
        wheels.tickNanos,
        wheels.clock,
        stripe.nextDue(),
        stripe.size(),
        wheels.size(),
        wheels.queue.size(),
        wheels.due.first(Integer.MAX_VALUE),
        buckets);
  }

  private static BucketState state(Bucket bucket, TimingWheels wheels) {
    return new BucketState(
        bucket.resolution,
        bucket.visit,
        bucket.state != Bucket.State.IDLE,
        wheels.queue.contains(bucket),
        bucket.state == Bucket.State.SPLITTING,
        wheels.splitting.contains(bucket),
        bucket.state == Bucket.State.WAITING,
        bucket.first(Integer.MAX_VALUE));
  }
}
