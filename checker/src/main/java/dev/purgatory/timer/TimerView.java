package dev.purgatory.timer;

import static dev.purgatory.checker.Invariant.NO_OVERSLEEP;
import static dev.purgatory.checker.Invariant.SOUND_LINKS;

import dev.purgatory.checker.Finding;
import dev.purgatory.checker.Peek;
import dev.purgatory.internal.TimerEntry;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

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

  /**
   * Checks all links and counts, and returns the entries that are scheduled.
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

  /** Returns how many buckets there are, and places for buckets. */
  public long slotsOfWheels() {
    return stripes.stream().mapToLong(StripeView::slotsOfWheels).sum();
  }

  /** Returns whether this thread holds a lock of the timer. */
  public boolean holdsLock() {
    return sleep.isHeldByCurrentThread()
        || stripes.stream().anyMatch(stripe -> stripe.lock.isHeldByCurrentThread());
  }

  private static final class StripeView {
    final Stripe stripe;
    final ReentrantLock lock;
    final TimingWheels wheels;
    final Queue<?> queue;
    final List<?> splitting;
    final Bucket due;
    final long tickNanos;

    StripeView(Stripe stripe) {
      this.stripe = stripe;
      lock = Peek.at(stripe, "lock", ReentrantLock.class);
      wheels = Peek.at(stripe, "wheels", TimingWheels.class);
      queue = Peek.at(wheels, "queue", Queue.class);
      splitting = Peek.at(wheels, "splitting", List.class);
      due = Peek.at(wheels, "due", Bucket.class);
      tickNanos = Peek.at(wheels, "tickNanos", Long.class);
    }

    void check(Set<TimerEntry> scheduled) {
      Set<TimerEntry> kept = Collections.newSetFromMap(new IdentityHashMap<>());
      due.forEach(entry -> checkDue(entry, kept));
      int queued = 0;
      for (Wheel wheel = Peek.at(wheels, "lowest", Wheel.class); wheel != null; ) {
        queued += checkWheel(wheel, kept);
        wheel = Peek.orNull(wheel, "overflow", Wheel.class);
      }
      Finding.unless(queued == queue.size(), SOUND_LINKS, "the queue holds other buckets");
      Finding.unless(
          kept.size() == wheels.size() && kept.size() == stripe.size(),
          SOUND_LINKS,
          kept + ", counted as " + wheels.size() + " and " + stripe.size());
      kept.stream().filter(TimerEntry::isScheduled).forEach(scheduled::add);
    }

    long slotsOfWheels() {
      long slots = 0;
      for (Wheel wheel = Peek.at(wheels, "lowest", Wheel.class); wheel != null; ) {
        slots += Peek.at(wheel, "ring", Bucket[].class).length;
        wheel = Peek.orNull(wheel, "overflow", Wheel.class);
      }
      return slots + 2L * wheels.buckets().size(); // they are in a list, too
    }

    private void checkDue(TimerEntry entry, Set<TimerEntry> kept) {
      Finding.unless(tick(entry) <= wheels.clock(), SOUND_LINKS, "an entry is among those due");
      Finding.unless(kept.add(entry), SOUND_LINKS, "an entry in two places");
      checkSleep(entry, wheels.clock());
    }

    private int checkWheel(Wheel wheel, Set<TimerEntry> kept) {
      long resolution = Peek.at(wheel, "resolution", Long.class);
      int queued = 0;
      for (Bucket bucket : Peek.at(wheel, "ring", Bucket[].class)) {
        if (bucket != null) {
          checkBucket(bucket, resolution, kept);
          queued += bucket.queued ? 1 : 0;
        }
      }
      return queued;
    }

    private void checkBucket(Bucket bucket, long resolution, Set<TimerEntry> kept) {
      Finding.unless(
          bucket.queued == queue.contains(bucket), SOUND_LINKS, "a bucket is not where it says");
      Finding.unless(
          !bucket.splitting || (bucket.queued && !bucket.isLowest()),
          SOUND_LINKS,
          "a bucket is split that is not queued");
      Finding.unless(
          !splitting.contains(bucket) || bucket.splitting,
          SOUND_LINKS,
          "a bucket does not know that it is split");
      Finding.unless(bucket.queued || bucket.isEmpty(), SOUND_LINKS, "entries nobody waits for");
      bucket.forEach(entry -> checkEntry(bucket, resolution, entry, kept));
    }

    private void checkEntry(
        Bucket bucket, long resolution, TimerEntry entry, Set<TimerEntry> kept) {
      boolean startsWhenDue = bucket.isLowest() || bucket.splitting;
      long into = tick(entry) - bucket.due - (startsWhenDue ? 0 : resolution);
      Finding.unless(into >= 0 && into < resolution, SOUND_LINKS, "an entry in a wrong bucket");
      Finding.unless(kept.add(entry), SOUND_LINKS, "an entry in two places");
      checkSleep(entry, bucket.due);
    }

    private void checkSleep(TimerEntry entry, long tick) {
      boolean slept =
          entry.isScheduled()
              && tick <= Long.MAX_VALUE / tickNanos
              && tick * tickNanos < stripe.nextDue();
      Finding.unless(!slept, NO_OVERSLEEP, "sleeps until " + stripe.nextDue());
    }

    private long tick(TimerEntry entry) {
      return entry.deadline() / tickNanos + (entry.deadline() % tickNanos == 0 ? 0 : 1);
    }
  }
}
