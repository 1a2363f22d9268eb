package dev.purgatory;

import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waits for a reply that have ended without one, each for a limited time: so that a late reply
 * differs from one that was never expected. Also the term of the requests that wait. Thread-safe.
 */
final class EndedWaits<I, R> implements Term {

  /*
   * A wait is in the table from its begin, not from its end: so a reply that meets the end of its wait finds it
   * there, and the state of the registration tells how it has ended. Its time begins at its end. A wait leaves
   * the table once: its reply has come, in time or late, its time is over, there is no room for it, its id
   * is awaited again, or the table is closed. The thread that removes it may report a late reply.
   *
   * A wait refers to the registration, which refers to nothing after its end. The attachment that tells it of
   * that end is an object of its own, because attachments refer to the request.
   */

  private static final LastResort NOT_REMEMBERED =
      LastResort.handler("An ended wait is not remembered");
  private static final LastResort HANDLER_THREW =
      LastResort.handler("The handler of late replies threw");

  private final Core<I> core;
  private final Remembered<I, Registration> waits;
  private final Consumer<? super LateReply<I, R>> handler;

  EndedWaits(Core<I> core, long nanos, int most, Consumer<? super LateReply<I, R>> handler) {
    this.core = core;
    this.waits = new Remembered<>(core, nanos, most);
    this.handler = handler;
  }

  /** Begins the time of a wait that has ended. */
  private final class End extends Attachment {
    private final Remembered<I, Registration>.Entry wait;

    End(Remembered<I, Registration>.Entry wait) {
      this.wait = wait;
    }

    @Override
    void end() {
      if (wait.value().outcome() == Outcome.COMPLETED) {
        wait.remove();
        return;
      }
      try {
        wait.begin();
      } catch (Throwable e) {
        NOT_REMEMBERED.accept(e);
      }
    }
  }

  /** Remembers a wait that begins. */
  @Override
  public void begin(Registration registration, Core<?> holder) {
    I id = id(registration);
    if (id == null) {
      return; // it has ended
    }
    Remembered<I, Registration>.Entry begun = waits.entry(id, registration);
    End end = new End(begun); // may fail, so before anything changes
    Remembered<I, Registration>.Entry former;
    while ((former = waits.putIfAbsent(begun)) != null) {
      if (!former.value().isEnded()) {
        throw new IllegalStateException(
            core.name() + ": " + ForeignText.of(id) + " is awaited already");
      }
      former.remove();
    }
    registration.attach(end);
  }

  @SuppressWarnings("unchecked") // a table of replies has ids of this type only
  private @Nullable I id(Registration registration) {
    return registration.operation() instanceof HeldFuture<?> future ? (I) future.id() : null;
  }

  /**
   * Reports a reply that has come too late; returns false if nothing is known of its wait, or
   * closing has ended it.
   */
  boolean report(I id, R reply) {
    Remembered<I, Registration>.Entry wait = waits.get(id);
    Outcome outcome = wait == null ? null : wait.value().outcome();
    if (wait == null
        || outcome == null
        || outcome == Outcome.COMPLETED
        || outcome == Outcome.CLOSED
        || !wait.remove()) {
      return false;
    }
    LateReply<I, R> late = new LateReply<>(id, reply, outcome, Duration.ofNanos(wait.age()));
    ForeignCode.call(handler, late, HANDLER_THREW);
    return true;
  }

  /** Forgets all waits. */
  void clear() {
    waits.clear();
  }
}
