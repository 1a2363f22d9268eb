package dev.purgatory.races;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Some sequential order explains the results of concurrent calls on operations. */
class PurgatoryOrderTest {

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
   * The purgatory, as Lincheck calls it, with an operation whose timeout has passed but has not
   * expired yet.
   *
   * <p>Calls that are not linearizable are left out. A signal that meets an evaluation returns 0
   * and leaves the next check to the evaluator, so no order explains both counts. {@code pending()}
   * is decremented just after an end is decided, so a thread that lost to that end may still read
   * the old count; it is compared when all threads are done. Only one thread advances the clock: a
   * second one that finds nothing due does not wait for the tasks of the first.
   */
  @Param(name = "op", gen = IntGen.class, conf = "0:2")
  public static class Concurrent {
    private static final int SHARED_KEY = -1;

    private volatile long now;
    private final Timer timer = Timer.builder().ticker(() -> now).build();
    private final Purgatory<Integer> purgatory =
        Purgatory.builder("order").timer(timer).expirationExecutor(Runnable::run).build();
    private final List<CountedOperation> operations =
        List.of(new CountedOperation(1), new CountedOperation(9), new CountedOperation(9));

    public Concurrent() {
      hold(0);
      now = TimeUnit.SECONDS.toNanos(5);
    }

    @Operation
    public String hold(@Param(name = "op") int op) {
      try {
        boolean completed = purgatory.hold(operations.get(op), List.of(op, SHARED_KEY));
        operations.get(op).held = true;
        return completed ? "completed" : "held";
      } catch (IllegalStateException e) {
        return "refused";
      }
    }

    @Operation
    public boolean complete(@Param(name = "op") int op) {
      return operations.get(op).complete();
    }

    @Operation
    public boolean cancel(@Param(name = "op") int op) {
      return operations.get(op).cancel();
    }

    @Operation
    public boolean isTimedOut(@Param(name = "op") int op) {
      return operations.get(op).outcome() == Outcome.TIMED_OUT;
    }

    @Operation(nonParallelGroup = "clock")
    public void advance() {
      timer.advance();
    }

    /** Each operation that ended was answered once, and the counters equal what is held. */
    @Validate
    public void answers() {
      int held = 0;
      for (CountedOperation operation : operations) {
        int due = operation.outcome() == null ? 0 : 1;
        if (operation.answers.get() != due) {
          throw new AssertionError(operation.answers + " answers, expected " + due);
        }
        held += operation.held && due == 0 ? 1 : 0;
      }
      if (purgatory.pending() != held || timer.size() != held) {
        throw new AssertionError(held + " held, but " + purgatory.pending() + ", " + timer.size());
      }
    }
  }

  private static final class CountedOperation extends DelayedOperation {
    final AtomicInteger answers = new AtomicInteger();
    volatile boolean held;

    CountedOperation(int seconds) {
      super(seconds, TimeUnit.SECONDS);
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers.incrementAndGet();
    }
  }

  /** The sequential specification. */
  public static class Sequential {
    private enum End {
      NONE,
      COMPLETED,
      TIMED_OUT,
      CANCELLED
    }

    private final End[] ends = {End.NONE, End.NONE, End.NONE};
    private final boolean[] held = {true, false, false};

    public String hold(int op) {
      if (held[op]) {
        return "refused";
      }
      held[op] = true;
      return "held";
    }

    public boolean complete(int op) {
      return end(op, End.COMPLETED);
    }

    public boolean cancel(int op) {
      return end(op, End.CANCELLED);
    }

    private boolean end(int op, End end) {
      if (ends[op] != End.NONE) {
        return false;
      }
      ends[op] = end;
      return true;
    }

    public boolean isTimedOut(int op) {
      return ends[op] == End.TIMED_OUT;
    }

    public void advance() {
      end(0, End.TIMED_OUT);
    }
  }
}
