package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.HeldFuture;
import dev.purgatory.KeyGroup;
import dev.purgatory.Limit;
import dev.purgatory.Scope;
import dev.purgatory.Thresholds;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * Races of requests in scopes, under limits, on key groups and for thresholds. The third result is
 * the end of the request, and what is left.
 */
public final class FeatureRaces {
  private FeatureRaces() {}

  /** Returns the outcome of a future that an actor has held. */
  private static String outcome(Object future) {
    return VirtualPurgatory.text(((HeldFuture<?>) future).outcome());
  }

  /** A threshold is reached while the request that waits for it is cancelled. */
  @JCStressTest
  @Outcome(
      id = "1, false, completed 5 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The advance was first.")
  @Outcome(
      id = "0, true, cancelled pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The cancellation was first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class ThresholdAgainstCancel extends VirtualPurgatory {
    private final Thresholds<String> thresholds = new Thresholds<>(purgatory);
    private final HeldFuture<Long> future = thresholds.reach("a", 5).orTimeout(TIMEOUT).hold();

    @Actor
    public void advance(LLL_Result r) {
      r.r1 = thresholds.advance("a", 5);
    }

    @Actor
    public void cancel(LLL_Result r) {
      r.r2 = future.cancel(false);
    }

    @Arbiter
    public void end(LLL_Result r) {
      String answer = future.isCancelled() ? "" : " " + future.join();
      r.r3 = text(future.outcome()) + answer + ' ' + left();
    }
  }

  /** A threshold is reached while a request begins to wait for it. */
  @JCStressTest
  @Outcome(
      id = {"0, completed, pending 0 timed 0", "1, completed, pending 0 timed 0"},
      expect = ACCEPTABLE,
      desc = "The request is answered, by either call.")
  @Outcome(expect = FORBIDDEN, desc = "The wake-up is lost, or something is left.")
  @State
  public static class ThresholdAgainstHold extends VirtualPurgatory {
    private final Thresholds<String> thresholds = new Thresholds<>(purgatory);

    @Actor
    public void advance(LLL_Result r) {
      r.r1 = thresholds.advance("a", 5);
    }

    @Actor
    public void hold(LLL_Result r) {
      r.r2 = thresholds.reach("a", 5).orTimeout(TIMEOUT).hold();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r2 = outcome(r.r2);
      r.r3 = left();
    }
  }

  /** A scope is closed while a request is held in it. */
  @JCStressTest
  @Outcome(
      id = "true, cancelled, requests 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The request is ended, by either call.")
  @Outcome(expect = FORBIDDEN, desc = "The request escapes, or something is left.")
  @State
  public static class ScopeAgainstHold extends VirtualPurgatory {
    private final Limit limit = Limit.builder("race").requests(1).build();
    private final Scope scope = Scope.of("race", limit);

    @Actor
    public void close(LLL_Result r) {
      scope.close();
      r.r1 = scope.isClosed();
    }

    @Actor
    public void hold(LLL_Result r) {
      r.r2 = purgatory.<String>until(() -> null).inScope(scope).orTimeout(TIMEOUT).hold("a");
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r2 = outcome(r.r2);
      r.r3 = "requests " + limit.requests() + ' ' + left();
    }
  }

  /** A request takes the only place under a limit while the request that has it is evicted. */
  @JCStressTest
  @Outcome(
      id = {
        "failed, held, requests 1 pending 1 timed 1",
        "held, failed, requests 1 pending 1 timed 1"
      },
      expect = ACCEPTABLE,
      desc = "The later one has the place.")
  @Outcome(expect = FORBIDDEN, desc = "Both have it, neither has, or something is left.")
  @State
  public static class LimitAgainstLimit extends VirtualPurgatory {
    private final Limit limit = Limit.builder("race").requests(1).evictOldest().build();
    private final Scope scope = Scope.of("race", limit);

    private HeldFuture<String> held() {
      return purgatory.<String>until(() -> null).inScope(scope).orTimeout(TIMEOUT).hold("a");
    }

    @Actor
    public void first(LLL_Result r) {
      r.r1 = held();
    }

    @Actor
    public void second(LLL_Result r) {
      r.r2 = held();
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r1 = outcome(r.r1);
      r.r2 = outcome(r.r2);
      r.r3 = "requests " + limit.requests() + ' ' + left();
    }
  }

  /** A request is refused or held while the request that has the only place ends. */
  @JCStressTest
  @Outcome(
      id = {
        "true, held, requests 1 pending 1 timed 1",
        "true, failed, requests 0 pending 0 timed 0"
      },
      expect = ACCEPTABLE,
      desc = "It has the place, or the place was still taken.")
  @Outcome(expect = FORBIDDEN, desc = "The place is lost, or taken twice.")
  @State
  public static class LimitAgainstEnd extends VirtualPurgatory {
    private final Limit limit = Limit.builder("race").requests(1).build();
    private final Scope scope = Scope.of("race", limit);
    private final HeldFuture<String> former = held();

    private HeldFuture<String> held() {
      return purgatory.<String>until(() -> null).inScope(scope).orTimeout(TIMEOUT).hold("a");
    }

    @Actor
    public void end(LLL_Result r) {
      r.r1 = former.complete("x");
    }

    @Actor
    public void hold(LLL_Result r) {
      r.r2 = held();
    }

    @Arbiter
    public void count(LLL_Result r) {
      r.r2 = outcome(r.r2);
      r.r3 = "requests " + limit.requests() + ' ' + left();
    }
  }

  /** A member of a key group is signalled while a request is held on the group. */
  @JCStressTest
  @Outcome(
      id = {"0, completed, pending 0 timed 0", "1, completed, pending 0 timed 0"},
      expect = ACCEPTABLE,
      desc = "The request is answered, by either call.")
  @Outcome(expect = FORBIDDEN, desc = "The wake-up is lost, or something is left.")
  @State
  public static class KeyGroupAgainstSignal extends VirtualPurgatory {
    private final KeyGroup<String> group = purgatory.group(List.of("a", "b"));

    /** The condition: a plain field, as servers may use. */
    private boolean event;

    @Actor
    public void signal(LLL_Result r) {
      event = true;
      r.r1 = purgatory.signal("b");
    }

    @Actor
    public void hold(LLL_Result r) {
      r.r2 = purgatory.until(() -> event ? "answer" : null).orTimeout(TIMEOUT).hold(group);
    }

    @Arbiter
    public void end(LLL_Result r) {
      r.r2 = outcome(r.r2);
      r.r3 = left();
    }
  }
}
