package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLI_Result;

/** The races for one timeout. The third result is how often it has fired. */
public final class TimerRaces {
  private TimerRaces() {}

  /** A timer in a time that stands still until it is moved, and a task that counts its runs. */
  private static final class Timed {
    private final AtomicInteger fired = new AtomicInteger();
    private volatile long now;
    final Timer timer = Timer.builder().ticker(() -> now).build();

    /** Schedules the task. */
    Timeout schedule() {
      return timer.schedule(fired::incrementAndGet, 100, TimeUnit.MILLISECONDS);
    }

    /** So soon that a clock that is woken has next to nothing to wait for. */
    void scheduleSoon() {
      timer.schedule(fired::incrementAndGet, 1, TimeUnit.NANOSECONDS);
      now = TimeUnit.SECONDS.toNanos(1);
    }

    /** Over the border of a wheel, so that entries move down on the way. */
    int timePasses() {
      now = TimeUnit.MILLISECONDS.toNanos(64);
      int fired = timer.advance();
      now = TimeUnit.MILLISECONDS.toNanos(100);
      return fired + timer.advance();
    }

    /** A clock that has overslept would go on for longer than any stall of the machine. */
    boolean wakesInTime() {
      long start = System.nanoTime();
      try {
        return timer.awaitDue(TimeUnit.SECONDS.toNanos(20))
            && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(15);
      } catch (InterruptedException e) {
        return false;
      }
    }

    void longAfter() {
      now = TimeUnit.SECONDS.toNanos(1);
      timer.advance();
    }

    int fired() {
      return fired.get();
    }
  }

  /** A timeout is cancelled while it moves to a finer bucket, and fires. */
  @JCStressTest
  @Outcome(id = "true, 0, 0", expect = ACCEPTABLE, desc = "Cancelled in time, and never fired.")
  @Outcome(id = "false, 1, 1", expect = ACCEPTABLE, desc = "Fired before.")
  @Outcome(expect = FORBIDDEN, desc = "Both, none, or told otherwise.")
  @State
  public static class CancelAgainstFire {
    private final Timed timed = new Timed();
    private final Timeout timeout = timed.schedule();

    @Actor
    public void cancel(LLI_Result r) {
      r.r1 = timeout.cancel();
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

  /** Two threads cancel the same timeout. */
  @JCStressTest
  @Outcome(
      id = {"true, false, 0", "false, true, 0"},
      expect = ACCEPTABLE,
      desc = "One of them did.")
  @Outcome(expect = FORBIDDEN, desc = "Both did, none did, or it fired all the same.")
  @State
  public static class CancelAgainstCancel {
    private final Timed timed = new Timed();
    private final Timeout timeout = timed.schedule();

    @Actor
    public void one(LLI_Result r) {
      r.r1 = timeout.cancel();
    }

    @Actor
    public void other(LLI_Result r) {
      r.r2 = timeout.cancel();
    }

    @Arbiter
    public void end(LLI_Result r) {
      timed.timePasses();
      r.r3 = timed.fired();
    }
  }

  /** A timeout is cancelled while another comes in next to it. */
  @JCStressTest
  @Outcome(id = "true, 1, 1", expect = ACCEPTABLE, desc = "The other one is there, and fires.")
  @Outcome(expect = FORBIDDEN, desc = "The other one is lost, or the first has fired.")
  @State
  public static class CancelAgainstInsert {
    private final Timed timed = new Timed();
    private final Timeout timeout = timed.schedule();

    @Actor
    public void cancel(LLI_Result r) {
      r.r1 = timeout.cancel();
    }

    @Actor
    public void insert() {
      timed.schedule();
    }

    @Arbiter
    public void end(LLI_Result r) {
      r.r2 = timed.timer.size();
      timed.longAfter();
      r.r3 = timed.fired();
    }
  }

  /** A timeout comes in while the clock moves on. */
  @JCStressTest
  @Outcome(id = "null, 1, 1", expect = ACCEPTABLE, desc = "It was in before, and fired.")
  @Outcome(id = "null, 0, 1", expect = ACCEPTABLE, desc = "It came later, and fires later.")
  @Outcome(expect = FORBIDDEN, desc = "It is lost, or fires twice.")
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
  @Outcome(expect = FORBIDDEN, desc = "It is lost, or fires twice.")
  @State
  public static class AdvanceAgainstAdvance {
    private final Timed timed = new Timed();

    public AdvanceAgainstAdvance() {
      timed.schedule();
    }

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

  /** A timeout comes in while the clock goes to sleep. */
  @JCStressTest
  @Outcome(id = "true, null, 1", expect = ACCEPTABLE, desc = "The clock was awake, or woken.")
  @Outcome(expect = FORBIDDEN, desc = "The clock has overslept, or the timeout is lost.")
  @State
  public static class InsertAgainstSleep {
    private final Timed timed = new Timed();

    @Actor
    public void sleep(LLI_Result r) {
      r.r1 = timed.wakesInTime();
    }

    @Actor
    public void insert() {
      timed.scheduleSoon();
    }

    @Arbiter
    public void end(LLI_Result r) {
      timed.longAfter();
      r.r3 = timed.fired();
    }
  }
}
