package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.DurationText;
import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import dev.purgatory.watch.HiddenKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The evaluations of one operation, for {@link Diagnostics}. */
final class Trace extends Attachment implements Term {

  /*
   * Only the evaluating thread writes, and evaluations happen one after another. Readers may see the
   * fields of different evaluations, which is good enough for a text.
   */

  private static final LastResort NOT_MARKED =
      LastResort.handler("A key threw: it is taken for one without a mark");
  private static final LastResort NOT_COUNTED =
      LastResort.handler("A key threw: its missed signal is not counted");

  private final Diagnostics diagnostics;
  private final List<?> keys;
  private final List<Term> terms;

  // Set before this is attached.
  private @Nullable Registration registration;
  private @Nullable Core<?> core;

  private volatile int checks;
  private long lastNanos;
  private @Nullable Object lastReason;
  private @Nullable Throwable lastError;

  Trace(Diagnostics diagnostics, List<?> keys, List<Term> terms) {
    this.diagnostics = diagnostics;
    this.keys = keys;
    this.terms = terms;
  }

  @Override
  public void admit(Registration admitted, Core<?> by) {
    registration = admitted;
    core = by;
    admitted.attach(this);
  }

  @Override
  void evaluated(@Nullable Object reason, boolean ready, @Nullable Throwable error) {
    Core<?> holder = requireNonNull(core);
    boolean noticed = ready || error != null; // only now, though it has come before the timeout
    boolean missed = noticed && reason == Registration.TIMEOUT && !holder.isClosed();
    long now = holder.now();
    checked(now, reason, error);
    if (missed && !isPeriodic()) {
      missed(holder, now);
    }
    diagnostics.checked(requireNonNull(registration), reason, ready, error);
  }

  private boolean isPeriodic() {
    for (int i = 0; i < terms.size(); i++) { // no stream: that costs more than the look
      if (terms.get(i) instanceof Recheck.Every) {
        return true;
      }
    }
    return false;
  }

  /** Counts the events that the operation waits for, unless one of them is on its way. */
  private void missed(Core<?> holder, long now) {
    List<Object> events = new ArrayList<>();
    for (Object key : keys) {
      if (key instanceof HiddenKey hidden && hidden.owner() instanceof KeyGroup<?> group) {
        events.addAll(group.isOpen() ? group.keys() : List.of(group));
      } else {
        events.add(key);
      }
    }
    List<Diagnostics.Queue> queues = diagnostics.queues();
    if (!queues.isEmpty()) {
      Registration traced = requireNonNull(registration);
      long held = traced.heldNanos(now, traced.timeoutNanos());
      for (Object key : events) {
        if (queues.stream().anyMatch(queue -> isMarked(queue, holder, key, held))) {
          return;
        }
      }
    }
    for (Term term : terms) {
      Object event = term.event();
      if (event != null && !term.hasCome()) { // else it was signalled
        events.add(event);
      }
    }
    events.forEach(this::count);
  }

  private static boolean isMarked(
      Diagnostics.Queue queue, Core<?> holder, Object key, long heldNanos) {
    try {
      return queue.willSignal(holder, key, heldNanos);
    } catch (Throwable e) {
      NOT_MARKED.accept(e);
      return false;
    }
  }

  private void count(Object key) {
    try {
      diagnostics.missed(key);
    } catch (Throwable e) {
      NOT_COUNTED.accept(e);
    }
  }

  private void checked(long now, @Nullable Object reason, @Nullable Throwable error) {
    lastNanos = now;
    lastReason = reason;
    lastError = error;
    int before = checks;
    checks = before + 1; // written last: publishes the others
  }

  @Override
  void end() {
    diagnostics.ended(requireNonNull(registration).outcome(), isPeriodic() ? -1 : checks);
  }

  /** Returns what was recorded so far; null if that is nothing. */
  Diagnostics.@Nullable Checks checks() {
    int count = checks; // read first
    return count == 0
        ? null
        : new Diagnostics.Checks(
            count,
            Duration.ofNanos(requireNonNull(core).now() - lastNanos),
            lastReason,
            isPeriodic());
  }

  String explain() {
    long now = requireNonNull(core).now();
    int count = checks; // read first
    String last =
        count == 0
            ? "not checked yet"
            : count
                + (count == 1 ? " check, " : " checks, the last one ")
                + DurationText.of(Duration.ofNanos(now - lastNanos))
                + " ago";
    String reason = lastReason == null ? "" : ", for " + ForeignText.of(lastReason);
    String result = lastError == null ? "" : ", which threw " + ForeignText.of(lastError);
    List<Object> events = new ArrayList<>(keys);
    for (Term term : terms) {
      Object event = term.event();
      if (event != null) {
        events.add(event);
      }
    }
    return "waits on " + ForeignText.of(events) + "; " + last + reason + result;
  }
}
