package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** The races for the end of one operation. The third result is what has become of it. */
public final class PurgatoryRaces {
  private PurgatoryRaces() {}

  /** An event completes, or time does. */
  @JCStressTest
  @Outcome(
      id = "true, null, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The event was first.")
  @Outcome(
      id = "false, null, timed_out 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Time was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both, none, or something is left behind.")
  @State
  public static class CompleteAgainstExpire {
    private final Held held = new Held().hold();

    @Actor
    public void complete(LLL_Result r) {
      r.r1 = held.operation.complete();
    }

    @Actor
    public void expire() {
      held.timePasses();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** Somebody takes it back while its time is up. */
  @JCStressTest
  @Outcome(
      id = "true, null, cancelled 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Cancelled in time, and told so once.")
  @Outcome(
      id = "false, null, timed_out 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Time was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both, none, or something is left behind.")
  @State
  public static class CancelAgainstExpire {
    private final Held held = new Held().hold();

    @Actor
    public void cancel(LLL_Result r) {
      r.r1 = held.operation.cancel();
    }

    @Actor
    public void expire() {
      held.timePasses();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** Somebody forces it while an event on its key finds that it cannot be answered yet. */
  @JCStressTest
  @Outcome(
      id = "true pending 0, 0, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It was answered by one of the two threads, and counts as ended at once.")
  @Outcome(expect = FORBIDDEN, desc = "Answered twice, never, or still counted.")
  @State
  public static class ForceAgainstCheck {
    private final Held held = new Held().hold();

    @Actor
    public void force(LLL_Result r) {
      boolean forced = held.operation.complete();
      r.r1 = forced + " pending " + held.purgatory.pending();
    }

    @Actor
    public void check(LLL_Result r) {
      r.r2 = held.purgatory.signal("a");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The event is a plain store, and comes while the operation does. */
  @JCStressTest
  @Outcome(
      id = "true, 0, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The first or the second look has seen the event.")
  @Outcome(
      id = "false, 1, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The event has found the operation on its list.")
  @Outcome(expect = FORBIDDEN, desc = "The event is lost: both have looked before either wrote.")
  @State
  public static class WatchAgainstComplete {
    private final Held held = new Held();

    @Actor
    public void watch(LLL_Result r) {
      r.r1 = held.purgatory.hold(held.operation, Held.KEYS);
    }

    @Actor
    public void complete(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("b");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** Two events on two keys make one operation answerable. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, completed 1 pending 0 timed 0", "0, 1, completed 1 pending 0 timed 0"},
      expect = ACCEPTABLE,
      desc = "One of them has completed it.")
  @Outcome(expect = FORBIDDEN, desc = "The event is lost, or answered twice.")
  @State
  public static class CheckAgainstCheck {
    private final Held held = new Held().hold();

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

  /** Somebody takes it back while it is answered. */
  @JCStressTest
  @Outcome(
      id = "true, 0, cancelled 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Cancelled in time, and told so once.")
  @Outcome(
      id = "false, 1, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Answered before.")
  @Outcome(expect = FORBIDDEN, desc = "Both, none, or something is left behind.")
  @State
  public static class CancelAgainstComplete {
    private final Held held = new Held().hold();

    @Actor
    public void cancel(LLL_Result r) {
      r.r1 = held.operation.cancel();
    }

    @Actor
    public void complete(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("a");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** Two threads hand in the same operation. */
  @JCStressTest
  @Outcome(
      id = {"held, refused, held 0 pending 1 timed 1", "refused, held, held 0 pending 1 timed 1"},
      expect = ACCEPTABLE,
      desc = "One of them is refused.")
  @Outcome(expect = FORBIDDEN, desc = "It is in twice, or not at all.")
  @State
  public static class AddAgainstAdd {
    private final Held held = new Held();

    @Actor
    public void one(LLL_Result r) {
      r.r1 = add(held);
    }

    @Actor
    public void other(LLL_Result r) {
      r.r2 = add(held);
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r3 = held.end();
    }
  }

  /** The purgatory is closed while the operation comes in. */
  @JCStressTest
  @Outcome(
      id = "held, null, closed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It was in, and is answered.")
  @Outcome(
      id = "refused, null, held 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It was refused, and nothing has happened to it.")
  @Outcome(expect = FORBIDDEN, desc = "It is in for good, or was refused and answered.")
  @State
  public static class CloseAgainstAdd {
    private final Held held = new Held();

    @Actor
    public void add(LLL_Result r) {
      r.r1 = PurgatoryRaces.add(held);
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

  /** A list is found empty and retired while an operation comes onto it. */
  @JCStressTest
  @Outcome(
      id = "null, 1, completed 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "It is on a list that an event finds.")
  @Outcome(expect = FORBIDDEN, desc = "It is on a list that nobody finds.")
  @State
  public static class PurgeAgainstWatch {
    private final Held held = withEmptyLists();

    private static Held withEmptyLists() {
      Held held = new Held();
      Held.Operation gone = held.new Operation();
      held.purgatory.hold(gone, Held.KEYS);
      gone.cancel();
      return held;
    }

    @Actor
    public void purge() {
      held.purgatory.purge();
    }

    @Actor
    public void watch() {
      held.purgatory.hold(held.operation, Held.KEYS);
    }

    @Arbiter
    public void end(LLL_Result r) {
      held.event = true;
      r.r2 = held.purgatory.signal("a");
      r.r3 = held.end();
    }
  }

  private static String add(Held held) {
    try {
      return held.purgatory.hold(held.operation, Held.KEYS) ? "completed" : "held";
    } catch (IllegalStateException e) {
      return "refused";
    }
  }
}
