package dev.purgatory;

import dev.purgatory.internal.LastResort;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The evaluations of one operation, for {@link Diagnostics}. */
final class Trace extends Attachment {

  /*
   * Only the evaluating thread writes, and evaluations happen one after another. Readers may see the
   * fields of different evaluations, which is good enough for a text.
   */

  private final Diagnostics diagnostics;
  private final Registration registration;
  private final Collection<?> keys;
  private volatile int checks;
  private long lastNanos;
  private @Nullable Object lastReason;
  private @Nullable Throwable lastError;

  /** Guarded by the monitor. */
  private boolean ended;

  Trace(Diagnostics diagnostics, Registration registration, Collection<?> keys) {
    this.diagnostics = diagnostics;
    this.registration = registration;
    this.keys = List.copyOf(keys); // the caller may change its collection
  }

  /** Records an evaluation of the operation with these attachments, if it is traced. */
  static void checked(
      Attachment attached,
      long now,
      @Nullable Object reason,
      boolean ready,
      @Nullable Throwable error) {
    Trace trace = of(attached);
    if (trace != null) {
      trace.checked(now, reason, error);
      if (ready && reason == Registration.TIMEOUT) {
        trace.missed();
      }
    }
  }

  private void missed() {
    try {
      diagnostics.missed(keys);
    } catch (Throwable e) {
      LastResort.log("A key threw: its missed signal is not counted", e);
    }
  }

  /** Returns the trace among the attachments, or null. */
  static @Nullable Trace of(@Nullable Object referent) {
    return find(Trace.class, referent);
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
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    diagnostics.ended(registration.outcome(), checks);
  }

  String explain(long now) {
    int count = checks; // read first
    String last =
        count == 0
            ? "not checked yet"
            : count + " checks, the last one " + Duration.ofNanos(now - lastNanos) + " ago";
    String reason = lastReason == null ? "" : ", for " + lastReason;
    String result = lastError == null ? "" : ", which threw " + lastError;
    return "waits on " + keys + "; " + last + reason + result;
  }
}
