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
import org.junit.jupiter.api.Test;

/**
 * Whatever threads do to operations at once, some order of the calls explains what they are told.
 */
class PurgatoryOrderTest {

  @Test
  void stress() {
    Orders.stress(Concurrent.class, Sequential.class);
  }

  @Test
  void modelChecking() {
    Orders.modelChecking(Concurrent.class, Sequential.class);
  }

  /**
   * The purgatory, as Lincheck calls it, with an operation in it that is due and not yet expired.
   *
   * <p>Left out is what promises less. A check that meets an evaluation answers 0 and leaves it to
   * the evaluator to look again, so that no order explains both counts. {@code pending()} is
   * counted down just after an end is decided, so that who has lost to it may still read the old
   * count; it is compared when all is quiet. One thread drives the clock, as another that finds
   * nothing to fire does not wait for what the first is firing.
   */
  @Param(name = "op", gen = IntGen.class, conf = "0:2")
  public static class Concurrent {
    private static final int EVERYBODY = -1;

    private volatile long now;
    private final Timer timer = Timer.builder().ticker(() -> now).build();
    private final Purgatory<Integer> purgatory =
        Purgatory.builder("order").timer(timer).expirationExecutor(Runnable::run).build();
    private final List<Held> operations = List.of(new Held(1), new Held(9), new Held(9));

    public Concurrent() {
      add(0);
      now = TimeUnit.SECONDS.toNanos(5);
    }

    @Operation
    public String add(@Param(name = "op") int op) {
      try {
        boolean completed = purgatory.hold(operations.get(op), List.of(op, EVERYBODY));
        operations.get(op).in = true;
        return completed ? "completed" : "in";
      } catch (IllegalStateException e) {
        return "refused";
      }
    }

    @Operation
    public boolean force(@Param(name = "op") int op) {
      return operations.get(op).complete();
    }

    @Operation
    public boolean cancel(@Param(name = "op") int op) {
      return operations.get(op).cancel();
    }

    @Operation
    public boolean isExpired(@Param(name = "op") int op) {
      return operations.get(op).outcome() == Outcome.TIMED_OUT;
    }

    @Operation(nonParallelGroup = "clock")
    public void advance() {
      timer.advance();
    }

    /** Every operation that has been answered was so once, and what is counted is what is held. */
    @Validate
    public void answers() {
      int held = 0;
      for (Held operation : operations) {
        int due = operation.outcome() == null ? 0 : 1;
        if (operation.answers.get() != due) {
          throw new AssertionError(operation.answers + " answers instead of " + due);
        }
        held += operation.in && due == 0 ? 1 : 0;
      }
      if (purgatory.pending() != held || timer.size() != held) {
        throw new AssertionError(held + " held, but " + purgatory.pending() + ", " + timer.size());
      }
    }
  }

  private static final class Held extends DelayedOperation {
    final AtomicInteger answers = new AtomicInteger();
    volatile boolean in;

    Held(int seconds) {
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

  /** What one thread would see. */
  public static class Sequential {
    private enum End {
      NONE,
      COMPLETED,
      EXPIRED,
      CANCELLED
    }

    private final End[] ends = {End.NONE, End.NONE, End.NONE};
    private final boolean[] in = {true, false, false};

    public String add(int op) {
      if (in[op]) {
        return "refused";
      }
      in[op] = true;
      return "in";
    }

    public boolean force(int op) {
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

    public boolean isExpired(int op) {
      return ends[op] == End.EXPIRED;
    }

    public void advance() {
      end(0, End.EXPIRED);
    }
  }
}
