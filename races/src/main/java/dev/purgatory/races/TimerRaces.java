package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLI_Result;

/** Races for one timeout. The third result is how often the task ran. */
public final class TimerRaces {
  private TimerRaces() {}

  /** A timer in virtual time, and a task that counts its runs. */
  private static final class VirtualTimer {
    private final AtomicInteger runs = new AtomicInteger();
    private volatile long now;
    final Timer timer = Timer.builder().ticker(() -> now).build();

    /** Schedules the task. A run before the deadline counts as 100. */
    Timeout schedule() {
      long deadline = TimeUnit.MILLISECONDS.toNanos(100);
      return timer.scheduleAt(() -> runs.addAndGet(timer.now() < deadline ? 100 : 1), deadline);
    }

    /** Schedules the task and moves time past its deadline. */
    void scheduleDue() {
      timer.schedule(runs::incrementAndGet, Duration.ofNanos(1));
      now = TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * Advances to the deadline in two steps, so that the entry moves to a finer wheel on the way.
     *
     * @return how many tasks ran
     */
    int passDeadline() {
      now = TimeUnit.MILLISECONDS.toNanos(64);
      int fired = timer.advance();
      now = TimeUnit.MILLISECONDS.toNanos(100);
      return fired + timer.advance();
    }

    /**
     * Sleeps until the task is due. A missed wake-up takes 20 s, longer than any stall of the
     * machine.
     *
     * @return whether it woke up in time
     */
    boolean wakesInTime() {
      long start = System.nanoTime();
      try {
        return timer.awaitDue(TimeUnit.SECONDS.toNanos(20))
            && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(15);
      } catch (InterruptedException e) {
        return false;
      }
    }

    /** Advances far past every deadline. */
    void passEverything() {
      now = TimeUnit.SECONDS.toNanos(1);
      timer.advance();
    }

    int runs() {
      return runs.get();
    }
  }

  /** A timeout is cancelled while it moves to a finer wheel and fires. */
  @JCStressTest
  @Outcome(id = "true, 0, 0", expect = ACCEPTABLE, desc = "Cancelled, and never fired.")
  @Outcome(id = "false, 1, 1", expect = ACCEPTABLE, desc = "Fired before the cancellation.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or a caller was misinformed.")
  @State
  public static class CancelAgainstAdvance {
    private final VirtualTimer time = new VirtualTimer();
    private final Timeout timeout = time.schedule();

    @Actor
    public void cancel(LLI_Result r) {
      r.r1 = timeout.cancel();
    }

    @Actor
    public void advance(LLI_Result r) {
      r.r2 = time.passDeadline();
    }

    @Arbiter
    public void end(LLI_Result r) {
      r.r3 = time.runs();
    }
  }

  /** Two threads cancel the same timeout. */
  @JCStressTest
  @Outcome(
      id = {"true, false, 0", "false, true, 0"},
      expect = ACCEPTABLE,
      desc = "One of them cancelled it.")
  @Outcome(expect = FORBIDDEN, desc = "Both did, neither did, or it fired anyway.")
  @State
  public static class CancelAgainstCancel {
    private final VirtualTimer time = new VirtualTimer();
    private final Timeout timeout = time.schedule();

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
      time.passDeadline();
      r.r3 = time.runs();
    }
  }

  /** A timeout is cancelled while another is added to the same bucket. */
  @JCStressTest
  @Outcome(id = "true, 1, 1", expect = ACCEPTABLE, desc = "The other one is scheduled, and fires.")
  @Outcome(expect = FORBIDDEN, desc = "The other one is lost, or the cancelled one fired.")
  @State
  public static class CancelAgainstSchedule {
    private final VirtualTimer time = new VirtualTimer();
    private final Timeout timeout = time.schedule();

    @Actor
    public void cancel(LLI_Result r) {
      r.r1 = timeout.cancel();
    }

    @Actor
    public void schedule() {
      time.schedule();
    }

    @Arbiter
    public void end(LLI_Result r) {
      r.r2 = time.timer.size();
      time.passEverything();
      r.r3 = time.runs();
    }
  }

  /** A timeout is added while the clock advances. */
  @JCStressTest
  @Outcome(id = "null, 1, 1", expect = ACCEPTABLE, desc = "It was added in time for this advance.")
  @Outcome(
      id = "null, 0, 1",
      expect = ACCEPTABLE,
      desc = "It was added later, and the next advance fired it.")
  @Outcome(expect = FORBIDDEN, desc = "It is lost, or fires twice.")
  @State
  public static class ScheduleAgainstAdvance {
    private final VirtualTimer time = new VirtualTimer();

    @Actor
    public void schedule() {
      time.schedule();
    }

    @Actor
    public void advance(LLI_Result r) {
      r.r2 = time.passDeadline();
    }

    @Arbiter
    public void end(LLI_Result r) {
      time.passEverything();
      r.r3 = time.runs();
    }
  }

  /** Two threads advance the clock. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, 1", "0, 1, 1"},
      expect = ACCEPTABLE,
      desc = "One of them fired it.")
  @Outcome(expect = FORBIDDEN, desc = "It is lost, or fires twice.")
  @State
  public static class AdvanceAgainstAdvance {
    private final VirtualTimer time = new VirtualTimer();

    public AdvanceAgainstAdvance() {
      time.schedule();
    }

    @Actor
    public void one(LLI_Result r) {
      r.r1 = time.passDeadline();
    }

    @Actor
    public void other(LLI_Result r) {
      r.r2 = time.passDeadline();
    }

    @Arbiter
    public void end(LLI_Result r) {
      r.r3 = time.runs();
    }
  }

  /** A timeout is moved to a later time while it fires. */
  @JCStressTest
  @Outcome(id = "true, 0, 1", expect = ACCEPTABLE, desc = "Moved; it fires at its new deadline.")
  @Outcome(id = "false, 1, 1", expect = ACCEPTABLE, desc = "Fired before.")
  @Outcome(expect = FORBIDDEN, desc = "It is lost, fires twice, or a caller was misinformed.")
  @State
  public static class RescheduleAgainstAdvance {
    private final VirtualTimer time = new VirtualTimer();
    private final Timeout timeout = time.schedule();

    @Actor
    public void reschedule(LLI_Result r) {
      r.r1 = timeout.reschedule(Duration.ofMillis(500));
    }

    @Actor
    public void advance(LLI_Result r) {
      r.r2 = time.passDeadline();
    }

    @Arbiter
    public void end(LLI_Result r) {
      time.passEverything();
      r.r3 = time.runs();
    }
  }

  /** A timeout is moved to an earlier time while it is cancelled. */
  @JCStressTest
  @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "Moved, then cancelled.")
  @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "Cancelled before.")
  @Outcome(expect = FORBIDDEN, desc = "It fires although it was cancelled, or is not.")
  @State
  public static class RescheduleAgainstCancel {
    private final VirtualTimer time = new VirtualTimer();
    private final Timeout timeout = time.schedule();

    @Actor
    public void reschedule(LLI_Result r) {
      r.r1 = timeout.reschedule(Duration.ofMillis(10));
    }

    @Actor
    public void cancel(LLI_Result r) {
      r.r2 = timeout.cancel();
    }

    @Arbiter
    public void end(LLI_Result r) {
      int left = time.timer.size();
      time.passEverything();
      r.r3 = time.runs() + left;
    }
  }

  /** The wheels are exchanged while a timeout moves to a finer wheel and fires. */
  @JCStressTest
  @Outcome(id = "null, 1, 1", expect = ACCEPTABLE, desc = "It fired by the former tick.")
  @Outcome(id = "null, 0, 1", expect = ACCEPTABLE, desc = "It fired by the new, longer tick.")
  @Outcome(expect = FORBIDDEN, desc = "It is lost, fires early, or fires twice.")
  @State
  public static class ReconfigureAgainstAdvance {
    private final VirtualTimer time = new VirtualTimer();

    public ReconfigureAgainstAdvance() {
      time.schedule();
    }

    @Actor
    public void reconfigure() {
      time.timer.reconfigure(Duration.ofMillis(3), 8);
    }

    @Actor
    public void advance(LLI_Result r) {
      r.r2 = time.passDeadline();
    }

    @Arbiter
    public void end(LLI_Result r) {
      time.passEverything();
      r.r3 = time.runs();
    }
  }

  /** A timeout is added while the clock falls asleep. */
  @JCStressTest
  @Outcome(id = "true, null, 1", expect = ACCEPTABLE, desc = "The clock was awake, or was woken.")
  @Outcome(expect = FORBIDDEN, desc = "The clock overslept, or the timeout is lost.")
  @State
  public static class ScheduleAgainstSleep {
    private final VirtualTimer time = new VirtualTimer();

    @Actor
    public void sleep(LLI_Result r) {
      r.r1 = time.wakesInTime();
    }

    @Actor
    public void schedule() {
      time.scheduleDue();
    }

    @Arbiter
    public void end(LLI_Result r) {
      time.passEverything();
      r.r3 = time.runs();
    }
  }
}
