package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.NO_OVERSLEEP;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.SOUND_LINKS;

import dev.purgatory.WatchListsView;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.TaskEntry.Alarm;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelsView;
import dev.purgatory.wheel.WheelsView.BucketState;
import dev.purgatory.wheel.WheelsView.StripeState;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Checks the links and the counts of a timer. Findings are valid while no thread changes it. */
final class TimerCheck {
  private final WheelsView view;

  TimerCheck(Timer timer) {
    view = new WheelsView(timer);
  }

  /**
   * Checks the timer and returns the operations that are scheduled.
   *
   * @throws Finding if an invariant does not hold
   */
  Set<Object> operations() {
    Set<Object> operations = Collections.newSetFromMap(new IdentityHashMap<>());
    for (StripeState stripe : view.stripes()) {
      for (TimerEntry entry : new StripeCheck(stripe).entries()) {
        if (entry.isScheduled()) {
          addOperation(entry, operations);
        }
      }
    }
    return operations;
  }

  private static void addOperation(TimerEntry entry, Set<Object> operations) {
    if (WatchListsView.isOperation(entry)) {
      Object operation = WatchListsView.operation(entry);
      Finding.unless(operation != null, RELEASED, "a cleared registration is scheduled");
      operations.add(operation);
    } else {
      Finding.unless(entry instanceof Alarm, SOUND_LINKS, "an unknown entry: " + entry);
    }
  }

  private static final class StripeCheck {
    private final StripeState stripe;
    private final Set<TimerEntry> entries = Collections.newSetFromMap(new IdentityHashMap<>());

    StripeCheck(StripeState stripe) {
      this.stripe = stripe;
    }

    /** Checks the stripe and returns its entries, including ended ones. */
    Set<TimerEntry> entries() {
      stripe.due().forEach(this::checkDue);
      stripe.buckets().forEach(this::checkBucket);
      long queued = stripe.buckets().stream().filter(BucketState::isQueued).count();
      require(queued == stripe.queueSize(), "the queue holds an unknown bucket");
      require(
          entries.size() == stripe.countedSize() && entries.size() == stripe.size(),
          entries.size()
              + " entries, counted as "
              + stripe.countedSize()
              + " and "
              + stripe.size());
      return entries;
    }

    private void checkDue(TimerEntry entry) {
      require(tick(entry) <= stripe.clock(), "an entry that is not due is among those due");
      add(entry, stripe.clock());
    }

    private void checkBucket(BucketState bucket) {
      require(bucket.isQueued() == bucket.isMarkedQueued(), "a bucket is wrongly marked as queued");
      require(
          !bucket.isMarkedSplitting() || (bucket.isQueued() && !isLowest(bucket)),
          "a bucket is being split that is not queued");
      require(
          !bucket.isSplitting() || bucket.isMarkedSplitting(),
          "a bucket that is being split is not marked");
      require(
          bucket.isQueued() || bucket.entries().isEmpty(), "a bucket with entries is not queued");
      require(
          !bucket.isWaiting() || (!bucket.isMarkedSplitting() && isInOrder(bucket.entries())),
          "a bucket waits for its first entry, and its entries are not in order");
      bucket.entries().forEach(entry -> checkEntry(entry, bucket));
    }

    private boolean isInOrder(List<TimerEntry> entries) {
      return IntStream.range(1, entries.size())
          .allMatch(i -> tick(entries.get(i - 1)) <= tick(entries.get(i)));
    }

    private void checkEntry(TimerEntry entry, BucketState bucket) {
      boolean startsWhenDue = isLowest(bucket) || bucket.isMarkedSplitting();
      long into = tick(entry) - bucket.due() - (startsWhenDue ? 0 : bucket.resolution());
      if (bucket.isWaiting()) {
        require(tick(entry) >= bucket.due(), "a bucket waits beyond one of its entries");
        into = tick(entry) - Math.floorDiv(bucket.due(), bucket.resolution()) * bucket.resolution();
      }
      require(into >= 0 && into < bucket.resolution(), "an entry is in a wrong bucket");
      add(entry, bucket.due());
    }

    private void add(TimerEntry entry, long dueTick) {
      require(entries.add(entry), "an entry is in two places");
      boolean overslept =
          entry.isScheduled()
              && dueTick <= Long.MAX_VALUE / stripe.tickNanos()
              && dueTick * stripe.tickNanos() < stripe.nextDue();
      Finding.unless(!overslept, NO_OVERSLEEP, "the clock sleeps until " + stripe.nextDue());
    }

    private long tick(TimerEntry entry) {
      boolean exact = entry.due() % stripe.tickNanos() == 0;
      return entry.due() / stripe.tickNanos() + (exact ? 0 : 1);
    }

    private static boolean isLowest(BucketState bucket) {
      return bucket.resolution() == 1;
    }

    private static void require(boolean condition, String details) {
      Finding.unless(condition, SOUND_LINKS, details);
    }
  }
}
