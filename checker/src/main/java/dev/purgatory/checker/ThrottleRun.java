package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.NOT_LATE;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Uses {@link Throttles} in virtual time, and compares them with token buckets that are refilled
 * step by step: one token in two ticks.
 */
final class ThrottleRun implements Run {
  private static final int KEYS = 3;
  private static final long BURST = 8;
  private static final int MOST_STEPS = 80;
  private static final long TICK_NANOS = 1_000_000;
  private static final long NANOS_PER_TOKEN = 2 * TICK_NANOS;

  private final Timer timer = Timer.builder().ticker(() -> now()).build();
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("checked", Integer.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();
  private final Throttles<Integer> throttles =
      new Throttles<>(
          purgatory, timer, new Rate(1, Duration.ofNanos(NANOS_PER_TOKEN), BURST), Runnable::run);
  private final List<Bucket> buckets = new ArrayList<>();
  private final List<Waiter> released = new ArrayList<>();
  private long now;

  ThrottleRun() {
    for (int i = 0; i < KEYS; i++) {
      buckets.add(new Bucket());
    }
  }

  private long now() {
    return now;
  }

  private record Waiter(HeldFuture<Long> future, long amount) {}

  /** The quota of a key in nanoseconds of refilling, and those who wait, in order. */
  private static final class Bucket {
    private long level = BURST * NANOS_PER_TOKEN;
    private long refilledAt;
    private final Queue<Waiter> line = new ArrayDeque<>();

    /** Refills until this time. Returns the released requests. */
    List<Waiter> refill(long to) {
      List<Waiter> released = new ArrayList<>();
      for (Waiter first; (first = line.peek()) != null; ) {
        long missing = Math.max(0, needed(first.amount) - level);
        if (refilledAt + missing > to) {
          break;
        }
        level += missing - first.amount * NANOS_PER_TOKEN;
        refilledAt += missing;
        released.add(line.remove());
      }
      level = Math.min(BURST * NANOS_PER_TOKEN, level + to - refilledAt);
      refilledAt = to;
      return released;
    }

    static long needed(long amount) {
      return Math.min(amount, BURST) * NANOS_PER_TOKEN;
    }

    boolean take(long amount) {
      boolean takes = line.isEmpty() && level >= needed(amount);
      if (takes) {
        level -= amount * NANOS_PER_TOKEN;
      }
      return takes;
    }

    boolean isIdle() {
      return line.isEmpty() && level == BURST * NANOS_PER_TOKEN;
    }
  }

  /** Generates a program. */
  static Program<ThrottleRun> program(Draw draw) {
    int steps = 5 + draw.below(MOST_STEPS);
    return new Program<>(
        Setup.of("THROTTLES", ThrottleRun::new), Draw.list(steps, i -> step(draw)));
  }

  private static Step<ThrottleRun> step(Draw draw) {
    int what = draw.below(1 << 16) % 9;
    int key = draw.below(KEYS);
    long amount = draw.below(12);
    String arguments = "(" + key + ", " + amount + ")";
    return switch (what) {
      case 0, 1, 2 -> Step.of("acquire" + arguments, run -> run.acquire(key, amount));
      case 3 -> Step.of("tryAcquire" + arguments, run -> run.tryAcquire(key, amount));
      case 4 -> Step.of("charge" + arguments, run -> run.charge(key, amount));
      case 5 -> Step.of("cancelFirst(" + key + ")", run -> run.cancelFirst(key));
      case 6 -> Step.of("giveBack" + arguments, run -> run.giveBack(key, amount));
      default -> Step.of("pass(" + amount + ")", run -> run.pass(amount * TICK_NANOS));
    };
  }

  private void acquire(int key, long amount) {
    Bucket bucket = buckets.get(key);
    HeldFuture<Long> future = throttles.acquire(key, amount);
    if (bucket.take(amount)) {
      Finding.unless(future.isDone(), NOT_LATE, "not released at once: " + amount);
    } else {
      Finding.unless(!future.isDone(), NEVER_EARLY, "released at once: " + amount);
      bucket.line.add(new Waiter(future, amount));
    }
  }

  private void tryAcquire(int key, long amount) {
    boolean taken = throttles.tryAcquire(key, amount);
    boolean expected = buckets.get(key).take(amount);
    Finding.unless(taken == expected, RETURN_VALUES, "tryAcquire(): " + taken);
  }

  private void charge(int key, long amount) {
    throttles.charge(key, amount);
    buckets.get(key).level -= amount * NANOS_PER_TOKEN;
  }

  private void giveBack(int key, long amount) {
    throttles.giveBack(key, amount);
    Bucket bucket = buckets.get(key);
    bucket.level = Math.min(BURST * NANOS_PER_TOKEN, bucket.level + amount * NANOS_PER_TOKEN);
    pass(TICK_NANOS); // releases happen within a tick
  }

  private void cancelFirst(int key) {
    Waiter first = buckets.get(key).line.poll();
    if (first != null) {
      Finding.unless(first.future.cancel(false), RETURN_VALUES, "cancel() returned false");
      pass(TICK_NANOS); // those behind it are released within a tick
    }
  }

  /** Lets time pass tick by tick. Each release is due at a tick. */
  private void pass(long nanos) {
    for (long end = now + nanos; now < end; ) {
      now += TICK_NANOS;
      timer.advance();
    }
    for (Bucket bucket : buckets) {
      released.addAll(bucket.refill(now));
    }
  }

  @Override
  public void verify() {
    for (Waiter each : released) {
      boolean done = each.future.outcome() == Outcome.COMPLETED;
      Finding.unless(done, NOT_LATE, "not released: " + each);
    }
    released.clear();
    for (int key = 0; key < KEYS; key++) {
      Bucket bucket = buckets.get(key);
      long available = Math.floorDiv(bucket.level, NANOS_PER_TOKEN);
      Finding.unless(
          throttles.available(key) == available,
          EXACT_COUNT,
          "available: " + throttles.available(key) + ", not " + available);
      for (Waiter each : bucket.line) {
        Finding.unless(!each.future.isDone(), NEVER_EARLY, "released too early: " + each);
      }
    }
  }

  /** Lets everything be released, and checks that no key is left. */
  @Override
  public void end() {
    while (!buckets.stream().allMatch(Bucket::isIdle)) {
      pass(10 * TICK_NANOS);
    }
    pass(TICK_NANOS);
    verify();
    Finding.unless(
        throttles.keys() == 0 && timer.size() == 0 && purgatory.pending() == 0,
        RELEASED,
        throttles + ", " + timer.size() + " entries");
    purgatory.close();
    timer.close();
  }
}
