package dev.purgatory.races;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Some sequential order explains the results of concurrent calls on timeouts. */
class TimerOrderTest {
  /** The time, in milliseconds. It does not change. */
  private static final int NOW = 100;

  /** In the same bucket of the second wheel as {@link #NOW}, so that a timeout has to move down. */
  private static final int LATER = 120;

  @Test
  void stress() {
    Orders.stress(Concurrent.class, Sequential.class);
  }

  @Tag("long")
  @Test
  void modelChecking() {
    Orders.modelChecking(Concurrent.class, Sequential.class);
  }

  /**
   * The timer, as Lincheck calls it. One timeout is due and has not fired yet, two are not due, and
   * two are not scheduled. Time stands still because a call may read the clock before it moves and
   * take effect afterwards. One thread at a time advances the clock. Only one timeout is due:
   * advancing is not atomic, as each of several due timeouts can be cancelled until it fires.
   */
  @Param(name = "place", gen = IntGen.class, conf = "0:4")
  public static class Concurrent {
    private static final int PLACES = 5;

    private volatile long now;
    private final Timer timer = Timer.builder().ticker(() -> now).build();
    private final AtomicReferenceArray<Timeout> timeouts = new AtomicReferenceArray<>(PLACES);

    public Concurrent() {
      timeouts.set(0, schedule(NOW));
      timeouts.set(1, schedule(LATER));
      timeouts.set(2, schedule(LATER));
      now = TimeUnit.MILLISECONDS.toNanos(NOW);
    }

    private Timeout schedule(int millis) {
      return timer.scheduleAt(() -> {}, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Schedules a timeout, and cancels it if the place is taken. */
    @Operation
    public boolean add(@Param(name = "place") int place) {
      Timeout timeout = schedule(LATER);
      boolean free = timeouts.compareAndSet(place, null, timeout);
      if (!free) {
        timeout.cancel();
      }
      return free;
    }

    @Operation
    public boolean cancel(@Param(name = "place") int place) {
      Timeout timeout = timeouts.get(place);
      return timeout != null && timeout.cancel();
    }

    @Operation
    public boolean isPending(@Param(name = "place") int place) {
      Timeout timeout = timeouts.get(place);
      return timeout != null && timeout.isPending();
    }

    @Operation(nonParallelGroup = "clock")
    public int advance() {
      return timer.advance();
    }

    /** The size is the number of pending timeouts. */
    @Validate
    public void size() {
      int size = timer.size();
      for (int place = 0; place < PLACES; place++) {
        size -= cancel(place) ? 1 : 0;
      }
      if (size != 0) {
        throw new AssertionError(size + " too many are counted");
      }
    }
  }

  /** The sequential specification. */
  public static class Sequential {
    private static final int NEVER = Integer.MAX_VALUE;
    private static final int NEW = NEVER - 1;
    private final int[] deadlines = {NOW, LATER, LATER, NEW, NEW};

    public boolean add(int place) {
      boolean free = deadlines[place] == NEW;
      if (free) {
        deadlines[place] = LATER;
      }
      return free;
    }

    public boolean cancel(int place) {
      boolean pending = isPending(place);
      if (pending) {
        deadlines[place] = NEVER;
      }
      return pending;
    }

    public boolean isPending(int place) {
      return deadlines[place] <= LATER;
    }

    public int advance() {
      int fired = 0;
      for (int i = 0; i < deadlines.length; i++) {
        if (deadlines[i] <= NOW) {
          deadlines[i] = NEVER;
          fired++;
        }
      }
      return fired;
    }
  }
}
