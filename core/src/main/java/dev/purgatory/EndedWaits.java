package dev.purgatory;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waits for a reply that have ended without one, each for a limited time: so that a late reply
 * is told apart from one that was never expected. Also the term of the requests that wait.
 * Thread-safe.
 */
final class EndedWaits<I, R> implements Core.Term {

  /*
   * A wait is in the map from its begin, not from its end: so a reply that meets the end of its wait finds it
   * there, and the state of the registration tells how it has ended. A wait leaves the map once: its reply
   * has come, in time or late, its time is over, there is no room for it, or its id is awaited again. Whoever
   * removes it tells of it.
   *
   * A wait refers to the registration, which refers to nothing after its end. The attachment that tells it of
   * that end is an object of its own, because attachments refer to the request.
   *
   * `size` counts the ended waits in the map. A wait is counted before its timeout is set, and the thread
   * that removes it and finds it counted counts it out. `counted` is written before a last look at the map:
   * one of the two sees the other.
   */

  private final Core<I> core;
  private final Timer timer;
  private final long nanos;
  private final int most;
  private final Consumer<? super LateReply<I, R>> handler;
  private final Map<I, Wait> waits = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();

  /** Whether an id is refused while its ended wait is remembered. Set before the table is used. */
  private boolean refuses;

  EndedWaits(Core<I> core, long nanos, int most, Consumer<? super LateReply<I, R>> handler) {
    this.core = core;
    this.timer = core.timer();
    this.nanos = nanos;
    this.most = most;
    this.handler = handler;
  }

  /** Has ids refused whose ended wait is remembered. */
  void refuse() {
    refuses = true;
  }

  /** Tells a wait that it has ended. */
  private static final class End extends Attachment {
    private final EndedWaits<?, ?>.Wait wait;

    End(EndedWaits<?, ?>.Wait wait) {
      this.wait = wait;
    }

    @Override
    void end() {
      wait.end();
    }
  }

  /** A wait, until it is forgotten. */
  private final class Wait implements Runnable {
    private final I id;
    private final Registration registration;
    private final AtomicBoolean hasEnded = new AtomicBoolean();

    /** Whether `size` counts this. */
    private final AtomicBoolean counted = new AtomicBoolean();

    private volatile long endNanos = Long.MAX_VALUE;
    private volatile @Nullable Timeout timeout;

    Wait(I id, Registration registration) {
      this.id = id;
      this.registration = registration;
    }

    void end() {
      if (!hasEnded.compareAndSet(false, true)) {
        return;
      }
      endNanos = timer.now();
      if (registration.outcome() == Outcome.COMPLETED || core.isClosed() || !count()) {
        run();
        return;
      }
      try {
        timeout = timer.schedule(this, Duration.ofNanos(nanos));
      } catch (Throwable e) {
        run();
        if (!timer.isClosed()) {
          LastResort.log("An ended wait is not remembered", e);
        }
      }
      if (waits.get(id) != this) {
        forgotten();
      }
    }

    private boolean count() {
      if (size.incrementAndGet() > most) {
        size.decrementAndGet();
        return false;
      }
      counted.set(true);
      return true;
    }

    /** Forgets the wait; returns false if it was forgotten before. */
    boolean forget() {
      boolean forgotten = waits.remove(id, this);
      if (forgotten) {
        forgotten();
      }
      return forgotten;
    }

    void forgotten() {
      if (counted.compareAndSet(true, false)) {
        size.decrementAndGet();
      }
      Timeout set = timeout;
      if (set != null) {
        set.cancel();
      }
    }

    @Override
    public void run() {
      forget();
    }
  }

  /** Refuses an id whose late reply may come, before a limit makes room for its request. */
  @Override
  public void admit(Registration registration, Core<?> holder) {
    I id = id(registration);
    Wait former = id == null ? null : waits.get(id);
    if (former != null && former.registration.isEnded()) {
      requireNoReply(former);
    }
  }

  /** Remembers a wait that begins. */
  @Override
  public void begin(Registration registration, Core<?> holder) {
    I id = id(registration);
    if (id == null) {
      return; // it has ended
    }
    Wait begun = new Wait(id, registration);
    End end = new End(begun); // may fail, so before anything changes
    Wait former = waits.putIfAbsent(id, begun);
    while (former != null) {
      if (!former.registration.isEnded()) {
        throw new IllegalStateException(
            core.name() + ": " + ForeignText.of(id) + " is awaited already");
      }
      requireNoReply(former);
      former.run();
      former = waits.putIfAbsent(id, begun);
    }
    registration.attach(end);
  }

  @SuppressWarnings("unchecked") // a table of replies has ids of this type only
  private @Nullable I id(Registration registration) {
    return registration.operation() instanceof HeldFuture<?> future ? (I) future.id() : null;
  }

  private void requireNoReply(Wait former) {
    if (refuses && former.registration.outcome() != Outcome.COMPLETED) {
      throw new IllegalStateException(
          core.name() + ": a late reply to " + ForeignText.of(former.id) + " may come");
    }
  }

  /** Tells of a reply that has come too late; returns false if nothing is known of it. */
  boolean tell(I id, R reply) {
    Wait wait = waits.get(id);
    if (wait == null || !wait.registration.isEnded()) {
      return false;
    }
    Outcome outcome = wait.registration.outcome();
    if (outcome == null || outcome == Outcome.COMPLETED || !wait.forget()) {
      return false;
    }
    Duration after = Duration.ofNanos(Math.max(0, timer.now() - wait.endNanos));
    LateReply<I, R> late = new LateReply<>(id, reply, outcome, after);
    try {
      handler.accept(late);
    } catch (Throwable e) {
      LastResort.log("The handler of late replies threw", e);
    }
    return true;
  }

  /** Forgets all waits that have ended. */
  void clear() {
    waits.values().stream().filter(each -> each.registration.isEnded()).forEach(Wait::run);
  }
}
