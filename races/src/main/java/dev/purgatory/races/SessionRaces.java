package dev.purgatory.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZL_Result;

/** Races for one session. The third result is what the listener was told, and what is left. */
public final class SessionRaces {
  private SessionRaces() {}

  /** A session in virtual time. */
  private static class VirtualSessions {
    private static final Duration TIMEOUT = Duration.ofMillis(1);

    private volatile long now;
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Timer timer = Timer.builder().ticker(() -> now).build();
    final Sessions<String, String> sessions =
        new Sessions<>(
            timer, TIMEOUT, end -> told.add(end.owner() + ' ' + end.reason()), Runnable::run);
    final Session<String, String> session = sessions.open("key", "first");

    /** Reaches the deadline of a session that was not touched. */
    void reachDeadline() {
      now = TIMEOUT.toNanos();
    }

    /** Expires what is due. */
    void advance() {
      timer.advance();
    }

    String left() {
      return "told "
          + (told.isEmpty() ? "none" : String.join(" and ", told))
          + " open "
          + sessions.size()
          + " timed "
          + timer.size();
    }
  }

  /** A session is touched when its deadline is reached, while the clock expires it. */
  @JCStressTest
  @Outcome(
      id = "true, true, told none open 1 timed 1",
      expect = ACCEPTABLE,
      desc = "The touch came first.")
  @Outcome(
      id = "false, false, told first EXPIRED open 0 timed 0",
      expect = ACCEPTABLE,
      desc = "The expiry came first.")
  @Outcome(expect = FORBIDDEN, desc = "Both won, neither did, or something is left.")
  @State
  public static class TouchAgainstExpiry extends VirtualSessions {
    public TouchAgainstExpiry() {
      reachDeadline();
    }

    @Actor
    public void touch(ZZL_Result r) {
      r.r1 = session.touch();
    }

    @Actor
    public void expire() {
      advance();
    }

    @Arbiter
    public void end(ZZL_Result r) {
      r.r2 = session.isOpen();
      r.r3 = left();
    }
  }

  /** A session is closed while the clock schedules it again because it was touched. */
  @JCStressTest
  @Outcome(
      id = "true, false, told first CLOSED open 0 timed 0",
      expect = ACCEPTABLE,
      desc = "Closed.")
  @Outcome(expect = FORBIDDEN, desc = "It expired, or something is left.")
  @State
  public static class CloseAgainstSchedulingAgain extends VirtualSessions {
    public CloseAgainstSchedulingAgain() {
      reachDeadline();
      session.touch();
    }

    @Actor
    public void close(ZZL_Result r) {
      r.r1 = session.close();
    }

    @Actor
    public void scheduleAgain() {
      advance();
    }

    @Arbiter
    public void end(ZZL_Result r) {
      r.r2 = session.isOpen();
      r.r3 = left();
    }
  }

  /** Two owners take a session over. */
  @JCStressTest
  @Outcome(
      id = {
        "true, false, told first TAKEN_OVER and second TAKEN_OVER open 1 timed 1",
        "false, true, told first TAKEN_OVER and third TAKEN_OVER open 1 timed 1"
      },
      expect = ACCEPTABLE,
      desc = "One is the owner, and the other two were told, in their order.")
  @Outcome(expect = FORBIDDEN, desc = "Two owners, none, or an owner was not told.")
  @State
  public static class TakeOverAgainstTakeOver extends VirtualSessions {
    @Actor
    public void second() {
      sessions.open("key", "second");
    }

    @Actor
    public void third() {
      sessions.open("key", "third");
    }

    @Arbiter
    public void end(ZZL_Result r) {
      Session<String, String> current = sessions.get("key");
      String owner = current == null ? null : current.owner();
      r.r1 = "third".equals(owner);
      r.r2 = "second".equals(owner);
      r.r3 = left();
    }
  }

  /** An owner takes a session over while the clock expires it. */
  @JCStressTest
  @Outcome(
      id = {
        "false, true, told first TAKEN_OVER open 1 timed 1",
        "false, true, told first EXPIRED open 1 timed 1"
      },
      expect = ACCEPTABLE,
      desc = "The former session ended once, and the new one is open.")
  @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or the new one is not open.")
  @State
  public static class TakeOverAgainstExpiry extends VirtualSessions {
    public TakeOverAgainstExpiry() {
      reachDeadline();
    }

    @Actor
    public void takeOver() {
      sessions.open("key", "second");
    }

    @Actor
    public void expire() {
      advance();
    }

    @Arbiter
    public void end(ZZL_Result r) {
      r.r1 = session.isOpen();
      r.r2 = sessions.touch("key");
      r.r3 = left();
    }
  }
}
