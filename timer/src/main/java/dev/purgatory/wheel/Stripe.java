package dev.purgatory.wheel;

import dev.purgatory.base.FlightEvents;
import dev.purgatory.base.Mutex;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A part of a timer's entries: timing wheels with a lock. Threads that use different stripes do not
 * contend.
 */
final class Stripe {

  /*
   * `lock` guards the wheels and the entries in them. It is held for a bounded number of steps and never
   * while user code runs. It is not a monitor, because virtual threads that wait for a monitor pin their
   * carriers on JDK 21 to 23.
   *
   * `former` are the wheels before the last reconfiguration. They get no new entries; `moveSome` moves
   * their entries to `wheels` and drops them when they are empty. Until then they keep firing what is due.
   *
   * An entry only moves on: from former wheels to others, from a bucket to one of a lower level, and at last to
   * the bucket of due entries. A walk visits them in this order, so it misses none, although other threads use the
   * wheels between its steps. A bucket that is added before its place makes it visit an entry twice.
   *
   * Four fields are written under the lock and read without it. `nextDue` is never later than the first
   * due bucket of the entries that were inserted, so a clock that sleeps until then never oversleeps. It
   * may be earlier if entries were cancelled since, which costs one useless visit. `late` is the end of the round
   * that must take the entries whose deadlines had passed when they were added: see WheelTimer. It is written before
   * `nextDue`. `splitting` is set and read by the threads that drive the clock. `size` tells whether a sweep is due,
   * so a recent value is enough: it is opaque, because a volatile write per insertion would cost a fence.
   */

  /** The number of steps per acquisition of the lock. */
  static final int BATCH = 256;

  /** The number of steps per acquisition of the lock while the buckets are visited. */
  private static final int MOST_VISITED = 16 * BATCH;

  private static final VarHandle SIZE;

  static {
    try {
      SIZE = MethodHandles.lookup().findVarHandle(Stripe.class, "size", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Mutex lock = new Mutex();
  TimingWheels wheels;
  private @Nullable TimingWheels former;

  private volatile long nextDue = TimingWheels.NEVER;
  private volatile long late;
  private volatile boolean splitting;

  @SuppressWarnings("UnusedVariable") // read and written through SIZE
  private int size;

  Stripe(long tickNanos, int wheelSize) {
    wheels = new TimingWheels(tickNanos, wheelSize);
  }

  boolean tryLock() {
    return lock.tryLock();
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    SIZE.setOpaque(this, kept());
    lock.unlock();
  }

  /** Requires the lock. */
  private int kept() {
    return wheels.size() + (former == null ? 0 : former.size());
  }

  /** Returns the time at which an entry is due next. Racy. */
  long nextDue() {
    return nextDue;
  }

  /** Returns a time until which entries were due when they were added, or 0. Racy. */
  long late() {
    return late;
  }

  /** Returns whether {@link #splitAhead} has work. Racy. */
  boolean isSplitting() {
    return splitting;
  }

  /** Returns the number of entries, including ended ones. Racy. */
  int size() {
    return (int) SIZE.getOpaque(this);
  }

  /**
   * Inserts an entry whose deadline and number are set. Requires the lock.
   *
   * @param now a time on the timer's clock before which no entry will fire
   * @return whether the entry is due before all others here, so that a sleeping clock must be woken
   */
  boolean insert(TimerEntry entry, long now) {
    assert lock.isHeldByCurrentThread();
    long start = former == null ? now : wheels.time(); // stays before `former`
    long due = wheels.insert(entry, start);
    if (due <= wheels.time()) {
      late = wheels.late();
    }
    boolean earlier = due < nextDue;
    if (earlier) {
      nextDue = due;
    }
    return earlier;
  }

  /**
   * Moves all entries that are due at {@code now} to the list, in any order. If this fails, those
   * that were removed are on the list.
   */
  void takeDue(long now, List<TimerEntry> due) {
    boolean more = true;
    while (more) {
      lock.lock();
      try {
        more = former != null && former.advance(now, BATCH, due);
        more = more || wheels.advance(now, BATCH, due);
      } finally {
        publishAndUnlock();
      }
    }
  }

  /** Moves some of the entries that are due soon to finer buckets. */
  void splitAhead() {
    lock.lock();
    try {
      wheels.splitAhead(BATCH);
      if (former != null) {
        former.splitAhead(BATCH);
      }
    } finally {
      publishAndUnlock();
    }
  }

  private void publishAndUnlock() {
    try {
      publish();
    } finally {
      unlock();
    }
  }

  private void publish() {
    long due = wheels.nextDue();
    boolean mustSplit = wheels.isSplitting();
    late = Math.max(wheels.late(), former == null ? 0 : former.late());
    if (former != null) {
      due = Math.min(due, former.nextDue());
      mustSplit |= former.isSplitting();
    }
    nextDue = due;
    splitting = mustSplit;
  }

  /** Visits about this many of the next entries, and removes the ended ones. */
  void sweep(int looks) {
    FlightEvents.Sweep recorded = FlightEvents.beginSweep();
    int removed = 0;
    for (int left = looks; left > 0; left -= BATCH) {
      removed += sweepBatch();
    }
    if (recorded != null) {
      recorded.end(null, "timer", looks, removed);
    }
  }

  private int sweepBatch() {
    lock.lock();
    try {
      int before = kept();
      wheels.sweep(BATCH);
      if (former != null) {
        former.sweep(BATCH);
      }
      publish(); // what was due next may be gone
      return before - kept();
    } finally {
      unlock();
    }
  }

  /** Visits all entries, and removes the ended ones. */
  void sweepAll() {
    int left;
    lock.lock();
    try {
      left = Math.max(wheels.toSweep(), former == null ? 0 : former.toSweep());
    } finally {
      unlock();
    }
    sweep(left);
  }

  /** Puts new wheels in place, which start at the time of the former ones. These must be empty. */
  void exchange(long tickNanos, int wheelSize) {
    lock.lock();
    try {
      TimingWheels next = new TimingWheels(tickNanos, wheelSize, wheels.time());
      former = wheels;
      wheels = next;
    } finally {
      publishAndUnlock();
    }
  }

  /**
   * Moves some entries of the former wheels to the new ones.
   *
   * @return whether there are more
   */
  boolean moveSome() {
    lock.lock();
    try {
      if (former != null && former.moveTo(wheels, BATCH)) {
        former = null;
      }
      return former != null;
    } finally {
      publishAndUnlock();
    }
  }

  /**
   * Visits all entries that wait here during the whole walk or until they are due, and others. The
   * lock is held for a bounded number of steps, and not while the visitor runs.
   *
   * @param visitor may get an entry twice
   */
  void forEach(Consumer<TimerEntry> visitor) {
    List<TimerEntry> batch = new ArrayList<>(2 * BATCH);
    TimingWheels walked = null;
    int at = 0;
    Chunk chunk = null; // if it is unlinked, the rest of its chain is visited
    boolean more = true;
    while (more) {
      lock.lock();
      try {
        if (walked == null) {
          walked = former == null ? wheels : former;
        }
        for (int steps = 0; steps < BATCH && more; steps++) {
          if (chunk != null) {
            chunk.forEach(batch::add);
            steps += chunk.size();
            chunk = chunk.next;
            at += chunk == null ? 1 : 0;
          } else if (at < walked.buckets().size()) {
            chunk = walked.buckets().get(at).first;
            at += chunk == null ? 1 : 0;
          } else {
            more = walked != wheels;
            walked = former == null || walked == former ? wheels : former;
            at = 0;
          }
        }
      } finally {
        unlock();
      }
      batch.forEach(visitor);
      batch.clear();
    }
  }

  /**
   * Visits some of the buckets, under the lock.
   *
   * @param from the index of the first one
   * @param visitor returns how many steps it took
   * @return the index of the next one, or -1 if all were visited
   */
  int visit(int from, ToIntBiFunction<TimingWheels, Bucket> visitor) {
    lock.lock();
    try {
      int at = from;
      for (int steps = 0; steps < MOST_VISITED; steps++, at++) {
        int past = at - wheels.buckets().size();
        if (past < 0) {
          steps += visitor.applyAsInt(wheels, wheels.buckets().get(at));
        } else if (former != null && past < former.buckets().size()) {
          steps += visitor.applyAsInt(former, former.buckets().get(past));
        } else {
          return -1;
        }
      }
      return at;
    } finally {
      unlock();
    }
  }
}
