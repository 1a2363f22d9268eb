package dev.purgatory.timer;

import static dev.purgatory.checker.Invariant.NO_OVERSLEEP;
import static dev.purgatory.checker.Invariant.SOUND_LINKS;

import dev.purgatory.checker.Finding;
import dev.purgatory.checker.Peek;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What lies in a timer, to be looked at while nothing moves. */
public final class TimerView {
  private final List<StripeView> stripes;
  private final ReentrantLock sleep;

  /** Looks into a timer. */
  public TimerView(Timer timer) {
    stripes = Stream.of(Peek.at(timer, "stripes", Stripe[].class)).map(StripeView::new).toList();
    sleep = Peek.at(timer, "sleep", ReentrantLock.class);
  }

  /** Sets the number of stripes of timers, which otherwise depends on the machine. */
  public static Timer.Builder stripes(Timer.Builder builder, int powerOfTwo) {
    return builder.stripes(powerOfTwo);
  }

  /** The deadline of an entry, in nanoseconds on its timer's clock. */
  public static long deadline(TimerEntry entry) {
    return entry.deadline;
  }

  /**
   * Checks all links and counts, and returns all entries.
   *
   * @throws Finding if something is not as it should be
   */
  public Set<TimerEntry> check() {
    Set<TimerEntry> entries = Collections.newSetFromMap(new IdentityHashMap<>());
    for (StripeView stripe : stripes) {
      stripe.check(entries);
    }
    return entries;
  }

  /** Whether this thread holds a lock of the timer. */
  public boolean holdsLock() {
    return sleep.isHeldByCurrentThread()
        || stripes.stream().anyMatch(stripe -> stripe.lock.isHeldByCurrentThread());
  }

  private static final class StripeView {
    final Stripe stripe;
    final ReentrantLock lock;
    final TimingWheels wheels;
    final Queue<?> queue;
    final Bucket due;
    final long tickNanos;

    StripeView(Stripe stripe) {
      this.stripe = stripe;
      lock = Peek.at(stripe, "lock", ReentrantLock.class);
      wheels = Peek.at(stripe, "wheels", TimingWheels.class);
      queue = Peek.at(wheels, "queue", Queue.class);
      due = Peek.at(wheels, "due", Bucket.class);
      tickNanos = Peek.at(wheels, "tickNanos", Long.class);
    }

    void check(Set<TimerEntry> entries) {
      Finding.unless(due.isEmpty(), SOUND_LINKS, "an advance has left entries behind");
      int before = entries.size();
      int queued = 0;
      for (Wheel wheel = Peek.at(wheels, "lowest", Wheel.class); wheel != null; ) {
        queued += checkWheel(wheel, entries);
        wheel = Peek.orNull(wheel, "overflow", Wheel.class);
      }
      Finding.unless(queued == queue.size(), SOUND_LINKS, "the queue holds other buckets");
      int size = entries.size() - before;
      Finding.unless(
          size == wheels.size(), SOUND_LINKS, size + " entries, counted as " + wheels.size());
    }

    private int checkWheel(Wheel wheel, Set<TimerEntry> entries) {
      long resolution = Peek.at(wheel, "resolution", Long.class);
      int queued = 0;
      for (Bucket bucket : Peek.at(wheel, "buckets", Bucket[].class)) {
        if (bucket != null) {
          checkBucket(bucket, resolution, entries);
          queued += bucket.queued ? 1 : 0;
        }
      }
      return queued;
    }

    private void checkBucket(Bucket bucket, long resolution, Set<TimerEntry> entries) {
      Finding.unless(
          bucket.queued == queue.contains(bucket), SOUND_LINKS, "a bucket is not where it says");
      Finding.unless(bucket.queued || bucket.isEmpty(), SOUND_LINKS, "entries nobody waits for");
      for (TimerEntry entry : linked(bucket)) {
        long into = tick(entry) - bucket.tick;
        Finding.unless(into >= 0 && into < resolution, SOUND_LINKS, "an entry in a wrong bucket");
        Finding.unless(entry.stripeVolatile() == stripe, SOUND_LINKS, "an entry of elsewhere");
        Finding.unless(entries.add(entry), SOUND_LINKS, "an entry in two places");
        boolean slept = bucket.tick <= Long.MAX_VALUE / tickNanos && due(bucket) < stripe.nextDue();
        Finding.unless(!slept, NO_OVERSLEEP, "sleeps until " + stripe.nextDue());
      }
    }

    private long due(Bucket bucket) {
      return bucket.tick * tickNanos;
    }

    private long tick(TimerEntry entry) {
      return entry.deadline / tickNanos + (entry.deadline % tickNanos == 0 ? 0 : 1);
    }

    private static List<TimerEntry> linked(Bucket bucket) {
      List<TimerEntry> entries = new ArrayList<>();
      TimerEntry last = bucket;
      for (TimerEntry each = next(last); each != bucket; last = each, each = next(each)) {
        entries.add(each);
      }
      return entries;
    }

    private static TimerEntry next(TimerEntry entry) {
      @Nullable TimerEntry next = entry.next;
      if (next == null || next.prev != entry) {
        throw new Finding(SOUND_LINKS, "a link forth without its link back");
      }
      return next;
    }
  }
}
