package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Races of a request whose condition takes time. The result tells how many evaluations have begun,
 * the most that ran at once, how the request ended, and what is left.
 */
public final class AsyncRaces {
  private AsyncRaces() {}

  /** A purgatory with a row that a condition looks for. */
  private static final class Rows extends VirtualPurgatory {
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final Queue<Runnable> ends = new ConcurrentLinkedQueue<>();

    /** Plain: the library orders its write and the next look. */
    private @Nullable String row;

    final Hold<String, String> hold = purgatory.untilAsync(this::look).orTimeout(TIMEOUT);

    private CompletableFuture<@Nullable String> look() {
      String read = row;
      CompletableFuture<@Nullable String> look = new CompletableFuture<>();
      begun.incrementAndGet();
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      ends.add(
          () -> {
            running.decrementAndGet();
            look.complete(read);
          });
      return look;
    }

    void put() {
      row = "row";
      purgatory.signal("a");
    }

    /** Ends an evaluation that runs, if there is one. */
    boolean endOne() {
      Runnable end = ends.poll();
      if (end != null) {
        end.run();
      }
      return end != null;
    }

    String result(HeldFuture<String> future) {
      while (endOne()) {}
      return "begun " + begun + " most " + most + ' ' + endAndLeft(future);
    }
  }

  /** Two evaluations, one after another. */
  @Outcome(
      id = "begun 2 most 1 completed row pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The second evaluation finds the row.")
  @Outcome(
      expect = FORBIDDEN,
      desc = "The signal is lost, or an evaluation is missing or too many.")
  public static final class OneMore {
    private OneMore() {}
  }

  /** A signal comes while an evaluation ends that has found nothing. */
  @JCStressTest
  @JCStressMeta(OneMore.class)
  @State
  public static class SignalAgainstEndOfEvaluation {
    private final Rows rows = new Rows();
    private final HeldFuture<String> future = rows.hold.hold("a");

    @Actor
    public void put() {
      rows.put();
    }

    @Actor
    public void endOne() {
      rows.endOne();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = rows.result(future);
    }
  }

  /** Two signals come while an evaluation runs. */
  @JCStressTest
  @JCStressMeta(OneMore.class)
  @State
  public static class SignalAgainstSignal {
    private final Rows rows = new Rows();
    private final HeldFuture<String> future = rows.hold.hold("a");

    @Actor
    public void put() {
      rows.put();
    }

    @Actor
    public void putToo() {
      rows.put();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = rows.result(future);
    }
  }

  /** The row is written and signalled while the request is held. */
  @JCStressTest
  @Outcome(
      id = "begun 1 most 1 completed row pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The first evaluation finds the row.")
  @Outcome(
      id = "begun 2 most 1 completed row pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The signal causes a second one.")
  @Outcome(expect = FORBIDDEN, desc = "The signal is lost, or there are too many evaluations.")
  @State
  public static class SignalAgainstHold {
    private final Rows rows = new Rows();
    private @Nullable HeldFuture<String> future;

    @Actor
    public void put() {
      rows.put();
    }

    @Actor
    public void hold() {
      future = rows.hold.hold("a");
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = rows.result(Objects.requireNonNull(future));
    }
  }

  /** A purgatory with one future, and the stage of its evaluation. */
  private static final class OneStage extends VirtualPurgatory {
    private final AtomicInteger returned = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    final CompletableFuture<@Nullable String> stage = new CompletableFuture<>();
    final HeldFuture<String> future;

    /** Holds the request; its stage belongs to the first or to the second evaluation. */
    OneStage(int ofEvaluation) {
      future =
          purgatory
              .untilAsync(
                  () ->
                      looks.incrementAndGet() == ofEvaluation
                          ? stage
                          : CompletableFuture.<@Nullable String>completedFuture(null))
              .orReturn(value -> returned.incrementAndGet())
              .orTimeout(TIMEOUT)
              .hold("a");
    }

    String end() {
      boolean delivered = end(future).equals("completed value");
      return "delivered " + (delivered ? 1 : 0) + " returned " + returned + ' ' + left();
    }
  }

  /** The outcomes of a stage that has an answer, and another end. */
  @Outcome(
      id = "delivered 1 returned 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The stage was first.")
  @Outcome(
      id = "delivered 0 returned 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The other end was first.")
  @Outcome(expect = FORBIDDEN, desc = "The answer is lost or doubled, or something is left.")
  public static final class Ends {
    private Ends() {}
  }

  /** A stage completes while its request is cancelled. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class StageAgainstCancel {
    private final OneStage held = new OneStage(1);

    @Actor
    public void complete() {
      held.stage.complete("value");
    }

    @Actor
    public void cancel() {
      held.future.cancel(false);
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }

  /** A stage completes while its request times out. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class StageAgainstTimeout {
    private final OneStage held = new OneStage(1);

    @Actor
    public void complete() {
      held.stage.complete("value");
    }

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }

  /** A signal begins an evaluation whose stage completes at the same time. */
  @JCStressTest
  @Outcome(
      id = "delivered 1 returned 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The answer is delivered.")
  @Outcome(expect = FORBIDDEN, desc = "The answer is lost.")
  @State
  public static class StageAgainstItsBegin {
    private final OneStage held = new OneStage(2);

    @Actor
    public void signal() {
      held.purgatory.signal("a");
    }

    @Actor
    public void complete() {
      held.stage.complete("value");
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }

  /** The request is cancelled while a signal begins an evaluation whose stage is complete. */
  @JCStressTest
  @Outcome(
      id = {"delivered 1 returned 0 pending 0 timed 0", "delivered 0 returned 1 pending 0 timed 0"},
      expect = ACCEPTABLE,
      desc = "The evaluation began before the request was cancelled.")
  @Outcome(
      id = "delivered 0 returned 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The request was cancelled before the evaluation began.")
  @Outcome(expect = FORBIDDEN, desc = "The answer is lost or doubled, or something is left.")
  @State
  public static class BeginAgainstCancel {
    private final OneStage held = new OneStage(2);

    {
      held.stage.complete("value");
    }

    @Actor
    public void signal() {
      held.purgatory.signal("a");
    }

    @Actor
    public void cancel() {
      held.future.cancel(false);
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }
}
