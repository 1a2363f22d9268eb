package dev.purgatory.wheel;

import dev.purgatory.base.LastResort;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a look for unfinished work until memory is sufficient. Allocates nothing itself.
 * Thread-safe.
 */
public abstract class Retry {

  /*
   * A step that finds no memory may leave work that no other step comes back to: an entry that has fired
   * and is not in the timer again, an alarm that is not set. Such a step calls `later`. The driver of
   * the clock then runs the look, which finds and finishes this work, and rests between attempts, so that looks
   * take a tenth of its time.
   *
   * A retry that waits is linked in a line, whose time counts as a deadline of the timer: so the clock
   * wakes up for it, and does not end while it waits. `waits` is cleared before a look, so a step that
   * fails during the look has it repeated.
   *
   * If the clock's thread has ended and cannot start for want of memory, the next entry that is scheduled
   * starts it. Nearly always it runs, because the unfinished work left something in the timer.
   *
   * Rejected: a helper thread that looks and rests. To start it takes memory.
   */

  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The clock rests at least this multiple of the looks' duration. */
  private static final int REST = 9;

  // Not VarHandles, nor what is made of them: the first use of one takes memory.
  private static final AtomicIntegerFieldUpdater<Retry> WAITS =
      AtomicIntegerFieldUpdater.newUpdater(Retry.class, "waits");
  private static final AtomicReferenceFieldUpdater<Line, @Nullable Retry> FIRST =
      AtomicReferenceFieldUpdater.newUpdater(Line.class, Retry.class, "first");

  private static final LastResort FAILED = LastResort.handler("Unfinished work failed again");

  /** Its clock runs the look. */
  final WheelTimer timer;

  /** 1 while it is in the line. */
  private volatile int waits;

  private @Nullable Retry next;

  /**
   * Creates a retry that nobody needs yet.
   *
   * @param timer its clock runs the look
   */
  protected Retry(WheelTimer timer) {
    this.timer = timer;
  }

  /**
   * Creates a retry that nobody needs yet.
   *
   * @param timer its clock runs the look
   * @param look as {@link #look}
   * @return a new retry
   */
  public static Retry of(WheelTimer timer, Runnable look) {
    return new Retry(timer) {
      @Override
      protected void look() {
        look.run();
      }
    };
  }

  /**
   * Finishes the work, and calls {@link #later} for work that still finds no memory. If it throws
   * for want of memory, it is repeated; other exceptions are logged.
   */
  protected abstract void look();

  /** Requests a look, soon. The caller holds no lock. */
  public void later() {
    if (waits == 0 && WAITS.compareAndSet(this, 0, 1)) {
      timer.retries.add(this);
    }
  }

  private void run() {
    waits = 0;
    try {
      look();
    } catch (OutOfMemoryError e) {
      later();
    } catch (LinkageError e) { // a class found no memory, perhaps for good
      FAILED.accept(e);
      later();
    } catch (Throwable e) {
      FAILED.accept(e);
    }
  }

  /** The retries of a timer that wait, in any order. Thread-safe. */
  static final class Line {

    /*
     * One that is added is linked before `due` is read; `due` is reset before the links are taken. So if
     * the time that it finds is that of a round that begins, this round takes it.
     */

    private volatile @Nullable Retry first;
    private volatile long due = TimingWheels.NEVER;
    private final WheelTimer timer;

    /** Creates an empty line. */
    Line(WheelTimer timer) {
      this.timer = timer;
    }

    /** Returns when the clock runs them, {@link TimingWheels#NEVER} if none waits. */
    long due() {
      return due;
    }

    private void add(Retry retry) {
      do {
        retry.next = first;
      } while (!FIRST.compareAndSet(this, retry.next, retry));
      long wanted = due;
      if (wanted == TimingWheels.NEVER) {
        wanted = afterRest(0);
        due = wanted;
      }
      timer.wakeBy(wanted);
    }

    void run() {
      long begin = timer.now();
      due = TimingWheels.NEVER;
      for (Retry each = FIRST.getAndSet(this, null); each != null; ) {
        Retry following = each.next;
        each.next = null;
        each.run();
        each = following;
      }
      if (due != TimingWheels.NEVER) { // some wait again
        due = afterRest(REST * (timer.now() - begin));
      }
    }

    private long afterRest(long nanos) {
      long rest = Math.max(REST_NANOS, nanos);
      return Math.min(timer.now(), Long.MAX_VALUE - rest) + rest;
    }
  }
}
