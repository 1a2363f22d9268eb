package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;
import static java.util.Objects.requireNonNull;

import dev.purgatory.session.Session;
import dev.purgatory.session.SessionEnd;
import dev.purgatory.session.SessionEnd.Reason;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Uses {@link Sessions} in virtual time, and compares them with a map of deadlines. */
final class SessionRun implements Run {
  private static final int MOST_STEPS = 80;
  private static final long TICK_NANOS = 1_000_000;

  private final Timer timer = Timer.builder().ticker(() -> now()).build();
  private final List<String> told = new ArrayList<>();
  private final List<String> expectedTold = new ArrayList<>();
  private final Sessions<Integer, String> sessions =
      new Sessions<>(timer, Duration.ofMillis(5), this::tell, Runnable::run);
  private final Map<Integer, Expected> open = new TreeMap<>();
  private final List<Session<Integer, String>> all = new ArrayList<>();
  private long now;
  private boolean closed;

  /** A session that is expected to be open. */
  private static final class Expected {
    final Session<Integer, String> real;
    final String owner;
    final long timeout;
    long touched;

    Expected(Session<Integer, String> real, String owner, long timeout, long touched) {
      this.real = real;
      this.owner = owner;
      this.timeout = timeout;
      this.touched = touched;
    }
  }

  private long now() {
    return now;
  }

  private void tell(SessionEnd<Integer, String> end) {
    told.add(end.key() + " " + end.owner() + " " + end.reason() + " " + end.lastTouched());
  }

  private void end(int key, Reason reason) {
    Expected ended = open.remove(key);
    if (ended != null) {
      expectedTold.add(key + " " + ended.owner + " " + reason + " " + ended.touched);
    }
  }

  /** Generates a program. */
  static Program<SessionRun> program(Draw draw) {
    int steps = 5 + draw.below(MOST_STEPS);
    return new Program<>(Setup.of("SESSIONS", SessionRun::new), Draw.list(steps, i -> step(draw)));
  }

  private static Step<SessionRun> step(Draw draw) {
    int what = draw.below(1 << 16) % 9;
    int key = draw.below(3);
    long amount = draw.below(12);
    return switch (what) {
      case 0, 1 -> Step.of("open(" + key + ", " + amount + ")", run -> run.open(key, amount));
      case 2 -> Step.of("tryOpen(" + key + ")", run -> run.tryOpen(key));
      case 3, 4 -> Step.of("touch(" + key + ")", run -> run.touch(key));
      case 5 -> Step.of("touchEnded()", SessionRun::touchEnded);
      case 6 -> Step.of("close(" + key + ", " + amount + ")", run -> run.close(key, amount));
      default -> Step.of("pass(" + amount + ")", run -> run.pass(amount));
    };
  }

  private void open(int key, long amount) {
    if (closed) {
      return;
    }
    String owner = "owner " + all.size();
    long timeout = (1 + amount) * 700_000;
    end(key, Reason.TAKEN_OVER);
    opened(key, owner, timeout, sessions.open(key, owner, Duration.ofNanos(timeout)));
  }

  private void tryOpen(int key) {
    if (closed) {
      return;
    }
    String owner = "owner " + all.size();
    Session<Integer, String> session = sessions.tryOpen(key, owner);
    boolean free = !open.containsKey(key);
    Finding.unless((session != null) == free, RETURN_VALUES, "tryOpen() returned " + session);
    if (session != null) {
      opened(key, owner, Duration.ofMillis(5).toNanos(), session);
    }
  }

  private void opened(int key, String owner, long timeout, Session<Integer, String> session) {
    all.add(session);
    open.put(key, new Expected(session, owner, timeout, now));
  }

  private void touch(int key) {
    Expected expected = open.get(key);
    boolean touched = sessions.touch(key);
    Finding.unless(touched == (expected != null), RETURN_VALUES, "touch() returned " + touched);
    if (expected != null) {
      expected.touched = now;
    }
  }

  /** Touches and closes the sessions that have ended, which does nothing. */
  private void touchEnded() {
    Set<Session<Integer, String>> ended = new HashSet<>(all);
    open.values().forEach(each -> ended.remove(each.real));
    for (Session<Integer, String> each : ended) {
      boolean touched = each.touch();
      boolean closedNow = each.close();
      boolean unused = !touched && !closedNow && !each.isOpen() && each.owner() == null;
      Finding.unless(unused, RELEASED, each + " is in use");
    }
  }

  private void close(int key, long amount) {
    if (amount == 0) {
      closed = true;
      List.copyOf(open.keySet()).forEach(each -> end(each, Reason.CLOSED));
      sessions.close();
    } else if (open.containsKey(key)) {
      Session<Integer, String> session = requireNonNull(open.get(key)).real;
      end(key, Reason.CLOSED);
      Finding.unless(session.close(), RETURN_VALUES, "close() returned false");
    }
  }

  private void pass(long amount) {
    now += amount * 400_000;
    timer.advance();
    for (int key : List.copyOf(open.keySet())) {
      Expected each = requireNonNull(open.get(key));
      if (each.touched + each.timeout <= now - TICK_NANOS) {
        end(key, Reason.EXPIRED);
      } else if (each.touched + each.timeout <= now && !each.real.isOpen()) {
        end(key, Reason.EXPIRED); // within the tick
      }
    }
  }

  /** The ends of one step may come in any order. */
  @Override
  public void verify() {
    Finding.unless(
        new HashSet<>(told).equals(new HashSet<>(expectedTold))
            && told.size() == expectedTold.size(),
        ONCE,
        "told " + told + ", not " + expectedTold);
    Finding.unless(
        sessions.size() == open.size() && timer.size() == open.size(),
        EXACT_COUNT,
        sessions.size() + " sessions and " + timer.size() + " entries, not " + open.keySet());
    open.forEach(
        (key, each) ->
            Finding.unless(
                each.real.isOpen()
                    && sessions.get(key) == each.real
                    && each.real.lastTouched() == each.touched,
                Invariant.NEVER_EARLY,
                "not open: session " + key));
  }

  @Override
  public void end() {
    pass(1_000_000);
    verify();
    Finding.unless(open.isEmpty(), Invariant.NOT_LATE, "still open: " + open.keySet());
    touchEnded();
    sessions.close();
    timer.close();
  }
}
