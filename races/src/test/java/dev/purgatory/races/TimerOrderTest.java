package dev.purgatory.races;

import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerEntry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** Whatever threads do to entries at once, some order of the calls explains what they are told. */
class TimerOrderTest {
  /** Where the clock stands. */
  private static final int NOW = 100;

  /** On the same bucket of the second level as {@link #NOW}, so that an entry has to move down. */
  private static final int LATER = 120;

  @Test
  void stress() {
    Orders.stress(Concurrent.class, Sequential.class);
  }

  @Test
  void modelChecking() {
    Orders.modelChecking(Concurrent.class, Sequential.class);
  }

  /**
   * The timer, as Lincheck calls it. Two entries are due and not yet fired, one is not due, and two
   * are not scheduled. Time stands still, as a call that has read the clock before it moved takes
   * effect after that.
   */
  @Param(name = "entry", gen = IntGen.class, conf = "0:4")
  public static class Concurrent {
    private volatile long now;
    private final Timer timer = Timer.builder().ticker(() -> now).build();
    private final List<Entry> entries = Stream.generate(Entry::new).limit(5).toList();

    public Concurrent() {
      schedule(0, NOW);
      schedule(1, NOW);
      schedule(2, LATER);
      now = TimeUnit.MILLISECONDS.toNanos(NOW);
    }

    private void schedule(int entry, int millis) {
      timer.scheduleAt(entries.get(entry), TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Operation
    public boolean add(@Param(name = "entry") int entry) {
      try {
        schedule(entry, LATER);
        return true;
      } catch (IllegalStateException e) {
        return false;
      }
    }

    @Operation
    public boolean cancel(@Param(name = "entry") int entry) {
      return timer.cancel(entries.get(entry));
    }

    @Operation
    public int advance() {
      return timer.advance();
    }

    /** What is not scheduled is not counted either. */
    @Validate
    public void size() {
      int size = timer.size();
      for (Entry entry : entries) {
        size -= timer.cancel(entry) ? 1 : 0;
      }
      if (size != 0) {
        throw new AssertionError(size + " too many are counted");
      }
    }
  }

  private static final class Entry extends TimerEntry {
    @Override
    protected void onTimeout() {}
  }

  /** What one thread would see. */
  public static class Sequential {
    private static final int NEVER = Integer.MAX_VALUE;
    private static final int NEW = NEVER - 1;
    private final int[] deadlines = {NOW, NOW, LATER, NEW, NEW};

    public boolean add(int entry) {
      boolean free = deadlines[entry] == NEW;
      if (free) {
        deadlines[entry] = LATER;
      }
      return free;
    }

    public boolean cancel(int entry) {
      boolean scheduled = deadlines[entry] <= LATER;
      if (scheduled) {
        deadlines[entry] = NEVER;
      }
      return scheduled;
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
