package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Races for one operation. The third result is its end: see {@link OneOperation#end}. */
public final class PurgatoryRaces {
  private PurgatoryRaces() {}

  /** The operation is completed while its timeout expires. */
  @JCStressTest
  @Outcome(
      id = "true, null, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Completed before the timeout.")
  @Outcome(
      id = "false, null, timed_out 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The timeout was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class CompleteAgainstTimeout {
    private final OneOperation held = new OneOperation().hold();

    @Actor
    public void complete(LLL_Result r) {
      r.r1 = held.operation.complete();
    }

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The operation is cancelled while its timeout expires. */
  @JCStressTest
  @Outcome(
      id = "true, null, cancelled 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Cancelled, and notified once.")
  @Outcome(
      id = "false, null, timed_out 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The timeout was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class CancelAgainstTimeout {
    private final OneOperation held = new OneOperation().hold();

    @Actor
    public void cancel(LLL_Result r) {
      r.r1 = held.operation.cancel();
    }

    @Actor
    public void timeout() {
      held.passTimeout();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The operation is completed while a signal evaluates its condition, which is false. */
  @JCStressTest
  @Outcome(
      id = "true pending 0, 0, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc =
          "Answered once by either thread. The thread that completes it sees it counted as ended.")
  @Outcome(expect = FORBIDDEN, desc = "Answered twice or never, or still pending.")
  @State
  public static class CompleteAgainstSignal {
    private final OneOperation held = new OneOperation().hold();

    @Actor
    public void complete(LLL_Result r) {
      boolean completed = held.operation.complete();
      r.r1 = completed + " pending " + held.purgatory.pending();
    }

    @Actor
    public void signal(LLL_Result r) {
      r.r2 = held.purgatory.signal("a");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** An event, written by a plain store, is signalled while the operation is added. */
  @JCStressTest
  @Outcome(
      id = "true, 0, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The first or the second check saw the event.")
  @Outcome(
      id = "false, 1, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The signal found the operation on the list of its key.")
  @Outcome(expect = FORBIDDEN, desc = "The event is lost: both threads read before either wrote.")
  @State
  public static class HoldAgainstSignal {
    private final OneOperation held = new OneOperation();

    @Actor
    public void hold(LLL_Result r) {
      r.r1 = held.purgatory.hold(held.operation, OneOperation.KEYS);
    }

    @Actor
    public void signal(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("b");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** Two keys are signalled, and either signal can complete the operation. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, completed 1 pending 0 timed 0", "0, 1, completed 1 pending 0 timed 0"},
      expect = ACCEPTABLE,
      desc = "One of them completed it.")
  @Outcome(expect = FORBIDDEN, desc = "The event is lost, or the operation is answered twice.")
  @State
  public static class SignalAgainstSignal {
    private final OneOperation held = new OneOperation().hold();

    @Actor
    public void one(LLL_Result r) {
      held.event = true;
      r.r1 = held.purgatory.signal("a");
    }

    @Actor
    public void other(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("b");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The operation is cancelled while a signal completes it. */
  @JCStressTest
  @Outcome(
      id = "true, 0, cancelled 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Cancelled, and notified once.")
  @Outcome(
      id = "false, 1, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Completed before the cancellation.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class CancelAgainstSignal {
    private final OneOperation held = new OneOperation().hold();

    @Actor
    public void cancel(LLL_Result r) {
      r.r1 = held.operation.cancel();
    }

    @Actor
    public void signal(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("a");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** Two threads hold the same operation. */
  @JCStressTest
  @Outcome(
      id = {"held, refused, held 0 pending 1 timed 1", "refused, held, held 0 pending 1 timed 1"},
      expect = ACCEPTABLE,
      desc = "One of them was refused.")
  @Outcome(expect = FORBIDDEN, desc = "It is held twice, or not at all.")
  @State
  public static class HoldAgainstHold {
    private final OneOperation held = new OneOperation();

    @Actor
    public void one(LLL_Result r) {
      r.r1 = held.tryHold();
    }

    @Actor
    public void other(LLL_Result r) {
      r.r2 = held.tryHold();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The purgatory is closed while the operation is added. */
  @JCStressTest
  @Outcome(
      id = "held, null, closed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It was held, and was answered by the close.")
  @Outcome(
      id = "refused, null, held 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It was refused and left alone.")
  @Outcome(expect = FORBIDDEN, desc = "It stays held, or was refused and answered.")
  @State
  public static class CloseAgainstHold {
    private final OneOperation held = new OneOperation();

    @Actor
    public void hold(LLL_Result r) {
      r.r1 = held.tryHold();
    }

    @Actor
    public void close() {
      held.purgatory.close();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** An empty list is retired while an operation is added to it. */
  @JCStressTest
  @Outcome(
      id = "null, 1, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It is on a list that a signal finds.")
  @Outcome(expect = FORBIDDEN, desc = "It is on a retired list, which no signal finds.")
  @State
  public static class PurgeAgainstHold {
    private final OneOperation held = withEmptyLists();

    private static OneOperation withEmptyLists() {
      OneOperation held = new OneOperation();
      OneOperation.Operation other = held.new Operation();
      held.purgatory.hold(other, OneOperation.KEYS);
      other.cancel();
      return held;
    }

    @Actor
    public void purge() {
      held.purgatory.inspect().purge();
    }

    @Actor
    public void hold() {
      held.purgatory.hold(held.operation, OneOperation.KEYS);
    }

    @Arbiter
    public void end(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("a");
      r.r3 = held.end();
    }
  }
}
