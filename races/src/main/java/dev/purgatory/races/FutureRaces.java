package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.HeldFuture;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * Races for one {@link HeldFuture}. The third result is its end: the outcome, the value or
 * exception, which must agree with it, and what is left.
 */
public final class FutureRaces {
  private FutureRaces() {}

  /** A purgatory with one future, held until an event. */
  private static final class OneFuture extends VirtualPurgatory {
    /** The condition of the future: a plain field, as servers may use. */
    private boolean event;

    final HeldFuture<String> future =
        purgatory.until(() -> event ? "answer" : null).orAfter(TIMEOUT, () -> "late").hold("a");

    /** Makes the condition true. */
    int signal() {
      event = true;
      return purgatory.signal("a");
    }

    String end() {
      return endAndLeft(future);
    }
  }

  /** A signal answers the future while it is completed from outside. */
  @JCStressTest
  @Outcome(
      id = "1, false, completed answer pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The signal was first.")
  @Outcome(
      id = "0, true, completed outside pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The completion from outside was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class SignalAgainstComplete {
    private final OneFuture held = new OneFuture();

    @Actor
    public void signal(LLL_Result r) {
      r.r1 = held.signal();
    }

    @Actor
    public void complete(LLL_Result r) {
      r.r2 = held.future.complete("outside");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** A signal answers the future while it is cancelled. */
  @JCStressTest
  @Outcome(
      id = "1, false, completed answer pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The signal was first.")
  @Outcome(
      id = "0, true, cancelled CancellationException pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The cancellation was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class SignalAgainstCancel {
    private final OneFuture held = new OneFuture();

    @Actor
    public void signal(LLL_Result r) {
      r.r1 = held.signal();
    }

    @Actor
    public void cancel(LLL_Result r) {
      r.r2 = held.future.cancel(false);
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The timeout of the future expires while it is completed from outside. */
  @JCStressTest
  @Outcome(
      id = "null, true, completed outside pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The completion from outside was first.")
  @Outcome(
      id = "null, false, timed_out late pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The timeout was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class TimeoutAgainstComplete {
    private final OneFuture held = new OneFuture();

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Actor
    public void complete(LLL_Result r) {
      r.r2 = held.future.complete("outside");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The timeout of a stage expires while the stage completes. */
  @JCStressTest
  @Outcome(
      id = "null, null, completed stage pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The stage was first.")
  @Outcome(
      id = "null, null, timed_out late pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The timeout was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class TimeoutAgainstStage {
    private final VirtualPurgatory held = new VirtualPurgatory();
    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final HeldFuture<String> timed =
        held.purgatory.timeout(stage, VirtualPurgatory.TIMEOUT, () -> "late");

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Actor
    public void complete() {
      stage.complete("stage");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.endAndLeft(timed);
    }
  }

  /** A stage with a time limit, which is on no list, in a purgatory that closes with its timer. */
  private static final class OneStage extends VirtualPurgatory {
    final HeldFuture<String> timed =
        purgatory.timeout(new CompletableFuture<>(), TIMEOUT, () -> "late");

    void close() {
      purgatory.close();
      timer.close(); // what fires from now on is lost
    }

    String end() {
      return endAndLeft(timed);
    }
  }

  /** The timeout of a stage expires while the purgatory and its timer are closed. */
  @JCStressTest
  @Outcome(
      id = "null, null, closed PurgatoryClosedException pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Closing was first.")
  @Outcome(
      id = "null, null, timed_out late pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The timeout was first.")
  @Outcome(expect = FORBIDDEN, desc = "Closing has missed the future, or something is left.")
  @State
  public static class TimeoutAgainstClose {
    private final OneStage held = new OneStage();

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Actor
    public void close() {
      held.close();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The timeout of a stage is moved while the purgatory and its timer are closed. */
  @JCStressTest
  @Outcome(
      id = "true, null, closed PurgatoryClosedException pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Moved, then closed.")
  @Outcome(
      id = "false, null, closed PurgatoryClosedException pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Closing was first.")
  @Outcome(expect = FORBIDDEN, desc = "Closing has missed the future, or something is left.")
  @State
  public static class RescheduleAgainstClose {
    private final OneStage held = new OneStage();

    @Actor
    public void reschedule(LLL_Result r) {
      r.r1 = held.timed.reschedule(VirtualPurgatory.TIMEOUT.multipliedBy(9));
    }

    @Actor
    public void close() {
      held.close();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }
}
