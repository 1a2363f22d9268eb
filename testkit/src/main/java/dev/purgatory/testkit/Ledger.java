package dev.purgatory.testkit;

import dev.purgatory.Outcome;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.testkit.Event.Kind;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Records the events of all purgatories of a {@link VirtualTime}. Thread-safe. */
final class Ledger {

  /*
   * Listeners are called by any thread. The lock guards all fields, and is not held while an operation's
   * toString runs.
   *
   * A ticket numbers an operation and refers to it weakly, so that the ledger does not keep alive what a
   * test expects to be unreachable. An operation that is held is reachable from its purgatory. Operations
   * are compared by identity: a user's type may define equals.
   */

  /** The number of events that are kept. */
  static final int MOST_EVENTS = 10_000;

  private final Supplier<Duration> clock;
  private final Object lock = new Object();
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final List<Event> errors = new ArrayList<>();
  private final Map<Ticket, Ticket> tickets = new HashMap<>();
  private final ReferenceQueue<Object> unreachable = new ReferenceQueue<>();
  private long recorded;
  private int lastNumber;

  Ledger(Supplier<Duration> clock) {
    this.clock = clock;
  }

  PurgatoryListener listener(String purgatory) {
    return new Listener(purgatory);
  }

  /** Returns the number of events up to now. */
  long recorded() {
    synchronized (lock) {
      return recorded;
    }
  }

  /** Returns the events after the first {@code skip}, as far as they are kept. */
  List<Event> since(long skip) {
    synchronized (lock) {
      long dropped = recorded - events.size();
      return events.stream().skip(Math.max(0, skip - dropped)).toList();
    }
  }

  /** Returns the errors up to now, and forgets them. */
  List<Event> takeErrors() {
    synchronized (lock) {
      List<Event> taken = List.copyOf(errors);
      errors.clear();
      return taken;
    }
  }

  List<Event> errors() {
    synchronized (lock) {
      return List.copyOf(errors);
    }
  }

  /** Describes the operations that were held and whose end was not announced. */
  List<String> unanswered() {
    List<Ticket> left;
    synchronized (lock) {
      left =
          tickets.values().stream()
              .filter(ticket -> ticket.open > 0)
              .sorted(Comparator.comparingInt(ticket -> ticket.number))
              .toList();
    }
    List<String> descriptions = new ArrayList<>();
    for (Ticket ticket : left) {
      Object operation = ticket.get();
      if (operation != null) {
        descriptions.add(ticket + " " + Event.describe(operation));
      }
    }
    return descriptions;
  }

  /** Records an error of a task. */
  void failed(String source, Throwable error) {
    record(new Event(clock.get(), source, Kind.ERROR, "", "", error));
  }

  private void record(Event event) {
    synchronized (lock) {
      recorded++;
      events.add(event);
      if (events.size() > MOST_EVENTS) {
        events.remove();
      }
      if (event.kind() == Kind.ERROR && errors.size() < MOST_EVENTS) {
        errors.add(event);
      }
    }
  }

  private Ticket ticket(Object operation) {
    synchronized (lock) {
      for (Object gone; (gone = unreachable.poll()) != null; ) {
        tickets.remove(gone);
      }
      Ticket probe = new Ticket(operation, unreachable, lastNumber + 1);
      Ticket known = tickets.putIfAbsent(probe, probe);
      if (known != null) {
        return known;
      }
      lastNumber++;
      return probe;
    }
  }

  /** Returns the number of operations that are remembered. For tests. */
  int tickets() {
    synchronized (lock) {
      return tickets.size();
    }
  }

  /** A number for an operation. Equal to other tickets for the same object. */
  private static final class Ticket extends WeakReference<Object> {
    private final int hash;
    private final int number;

    /** How often it is held. Negative if another thread announces an end before its begin. */
    int open;

    Ticket(Object operation, ReferenceQueue<Object> queue, int number) {
      super(operation, queue);
      this.number = number;
      hash = System.identityHashCode(operation);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      Object operation = get();
      return this == other
          || (operation != null && other instanceof Ticket ticket && ticket.refersTo(operation));
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public String toString() {
      return "#" + number;
    }
  }

  private final class Listener implements PurgatoryListener {
    private final String purgatory;

    Listener(String purgatory) {
      this.purgatory = purgatory;
    }

    @Override
    public void onAnsweredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {
      add(Kind.ANSWERED_AT_ONCE, operation, outcome + " " + Event.describe(operation), cause);
    }

    @Override
    public void onHeld(Object operation) {
      Ticket ticket = ticket(operation);
      synchronized (lock) {
        ticket.open++;
      }
      add(Kind.HELD, operation, Event.describe(operation), null);
    }

    @Override
    public void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      Ticket ticket = ticket(operation);
      synchronized (lock) {
        ticket.open--;
      }
      String held = "held for " + Event.text(Duration.ofNanos(heldNanos));
      boolean late = outcome == Outcome.TIMED_OUT && lateNanos > 0;
      String lateness = late ? ", " + Event.text(Duration.ofNanos(lateNanos)) + " late" : "";
      add(Kind.valueOf(outcome.name()), operation, held + lateness, cause);
    }

    @Override
    public void onRefused(Object operation, RuntimeException reason) {
      add(Kind.REFUSED, operation, Event.describe(operation), reason);
    }

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      add(Kind.ERROR, operation, source + " threw for " + Event.describe(operation), error);
    }

    private void add(Kind kind, Object operation, String detail, @Nullable Throwable error) {
      record(new Event(clock.get(), purgatory, kind, ticket(operation).toString(), detail, error));
    }
  }
}
