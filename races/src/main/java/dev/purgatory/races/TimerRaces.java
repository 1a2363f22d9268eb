package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerEntry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLI_Result;

/** The races for one entry of a timer. The third result is how often it has fired. */
public final class TimerRaces {
  private TimerRaces() {}

  /** A timer in a time that stands still until it is moved, and one entry. */
  private static final class Timed {
    private volatile long now;
    private final AtomicInteger fired = new AtomicInteger();
    final Timer timer = Timer.builder().ticker(() -> now).build();
    final TimerEntry entry =
        new TimerEntry() {
          @Override
          protected void onTimeout() {
            fired.incrementAndGet();
          }
        };

    Timed scheduled() {
      schedule();
      return this;
    }

    void schedule() {
      timer.schedule(entry, 100, TimeUnit.MILLISECONDS);
    }

    /** Over the border of a wheel, so that entries move down on the way. */
    int timePasses() {
      now = TimeUnit.MILLISECONDS.toNanos(64);
      int fired = timer.advance();
      now = TimeUnit.MILLISECONDS.toNanos(100);
      return fired + timer.advance();
    }

    void longAfter() {
      now = TimeUnit.SECONDS.toNanos(1);
      timer.advance();
    }

    int fired() {
      return fired.get();
    }
  }

  /** An entry is cancelled while it moves to a finer bucket, and fires. */
  @JCStressTest
  @Outcome(id = "true, 0, 0", expect = ACCEPTABLE, desc = "Cancelled in time, and never fired.")
  @Outcome(id = "false, 1, 1", expect = ACCEPTABLE, desc = "Fired before.")
  @State
  public static class CancelAgainstFire {
    private final Timed timed = new Timed().scheduled();

    @Actor
    public void cancel(LLI_Result r) {
      r.r1 = timed.timer.cancel(timed.entry);
    }

    @Actor
    public void fire(LLI_Result r) {
      r.r2 = timed.timePasses();
    }

    @Arbiter
    public void end(LLI_Result r) {
      r.r3 = timed.fired();
    }
  }

  /** Two threads cancel the same entry. */
  @JCStressTest
  @Outcome(
      id = {"true, false, 0", "false, true, 0"},
      expect = ACCEPTABLE,
      desc = "One of them did.")
  @State
  public static class CancelAgainstCancel {
    private final Timed timed = new Timed().scheduled();

    @Actor
    public void one(LLI_Result r) {
      r.r1 = timed.timer.cancel(timed.entry);
    }

    @Actor
    public void other(LLI_Result r) {
      r.r2 = timed.timer.cancel(timed.entry);
    }

    @Arbiter
    public void end(LLI_Result r) {
      timed.timePasses();
      r.r3 = timed.fired();
    }
  }

  /** An entry comes in while the clock moves on. */
  @JCStressTest
  @Outcome(id = "null, 1, 1", expect = ACCEPTABLE, desc = "It was in before, and fired.")
  @Outcome(id = "null, 0, 1", expect = ACCEPTABLE, desc = "It came later, and fires later.")
  @State
  public static class InsertAgainstAdvance {
    private final Timed timed = new Timed();

    @Actor
    public void insert() {
      timed.schedule();
    }

    @Actor
    public void advance(LLI_Result r) {
      r.r2 = timed.timePasses();
    }

    @Arbiter
    public void end(LLI_Result r) {
      timed.longAfter();
      r.r3 = timed.fired();
    }
  }

  /** Two threads drive the clock. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, 1", "0, 1, 1"},
      expect = ACCEPTABLE,
      desc = "One of them has fired it.")
  @State
  public static class AdvanceAgainstAdvance {
    private final Timed timed = new Timed().scheduled();

    @Actor
    public void one(LLI_Result r) {
      r.r1 = timed.timePasses();
    }

    @Actor
    public void other(LLI_Result r) {
      r.r2 = timed.timePasses();
    }

    @Arbiter
    public void end(LLI_Result r) {
      r.r3 = timed.fired();
    }
  }
}
