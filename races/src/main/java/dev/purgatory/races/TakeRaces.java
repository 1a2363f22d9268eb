package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.HeldFuture;
import dev.purgatory.Scope;
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
 * Races for the one value that a condition takes, while something else ends its request. The result
 * tells how often the value was delivered, how often it is there again, and what is left.
 */
public final class TakeRaces {
  private TakeRaces() {}

  /** A purgatory with one future, whose condition takes a value. */
  private static final class OneTaker extends VirtualPurgatory {
    private final AtomicInteger values = new AtomicInteger();
    final Scope scope = Scope.of("race");

    final HeldFuture<String> future =
        purgatory
            .until(this::take)
            .orReturn(value -> values.incrementAndGet())
            .inScope(scope)
            .orTimeout(TIMEOUT)
            .hold("a");

    private @Nullable String take() {
      return values.get() > 0 && values.decrementAndGet() == 0 ? "value" : null;
    }

    /** Puts the value and signals it. */
    void put() {
      values.incrementAndGet();
      purgatory.signal("a");
    }

    String end() {
      boolean delivered = end(future).equals("completed value");
      return "delivered " + (delivered ? 1 : 0) + " there " + values + ' ' + left();
    }
  }

  /** The outcomes of each race. */
  @Outcome(
      id = "delivered 1 there 0 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The condition was first.")
  @Outcome(
      id = "delivered 0 there 1 pending 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The other end was first.")
  @Outcome(expect = FORBIDDEN, desc = "The value is lost or doubled, or something is left.")
  public static final class Ends {
    private Ends() {}
  }

  /** A condition takes a value while its request is cancelled. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class TakeAgainstCancel {
    private final OneTaker held = new OneTaker();

    @Actor
    public void put() {
      held.put();
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

  /** A condition takes a value while its request times out. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class TakeAgainstTimeout {
    private final OneTaker held = new OneTaker();

    @Actor
    public void put() {
      held.put();
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

  /** A condition takes a value while its request is ended by its scope. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class TakeAgainstScope {
    private final OneTaker held = new OneTaker();

    @Actor
    public void put() {
      held.put();
    }

    @Actor
    public void close() {
      held.scope.close();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }

  /** A condition takes a value while its request is cancelled by its key. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class TakeAgainstCancelForKey {
    private final OneTaker held = new OneTaker();

    @Actor
    public void put() {
      held.put();
    }

    @Actor
    public void cancelForKey() {
      held.purgatory.cancelForKey("a");
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }

  /** A condition takes a value while its request is ended by the close of the purgatory. */
  @JCStressTest
  @JCStressMeta(Ends.class)
  @State
  public static class TakeAgainstClose {
    private final OneTaker held = new OneTaker();

    @Actor
    public void put() {
      held.put();
    }

    @Actor
    public void close() {
      held.purgatory.close();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = held.end();
    }
  }
}
