package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.Headroom;
import dev.purgatory.timer.Timeout;
import dev.purgatory.watch.HiddenKey;
import dev.purgatory.wheel.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An owner of requests, such as a connection, a session or the leadership of a partition. Closing
 * it ends all its requests, in all purgatories. Thread-safe.
 *
 * <pre>{@code
 * Scope connection = Scope.of("connection 7");
 *
 * CompletableFuture<List<String>> poll(String topic) {
 *   return polls.until(() -> next(topic)).inScope(connection).forever().hold(topic);
 * }
 *
 * void onDisconnect() {
 *   connection.close();
 * }
 * }</pre>
 *
 * <p>A request can be in several scopes. When it has ended, nothing of it is kept in any of them.
 * Closing costs time in proportion to the content of the scope.
 *
 * <p>A request that is held in a closed scope ends at once, in the way in which the scope ended.
 * {@link #close(Duration, Throwable)} does not end the requests in the scope before their time.
 */
public final class Scope implements AutoCloseable {

  /*
   * In each purgatory, a scope is a hidden key. So the purgatory keeps, purges and counts its requests as it
   * does those of other keys. The scope refers to the purgatory by a link, which is empty once the purgatory
   * is closed. Empty links are removed when a request is held in another purgatory.
   *
   * No request escapes the end of a scope. The closing thread writes `ending`, then walks the list. The
   * adding thread puts the request on the list, then reads `ending`. A full fence separates the two on
   * each side.
   *
   * A scope that ends gracefully attaches itself to each request that the walk finds, and so learns of its
   * end; a request that is added then ends at once. In each purgatory, its timer ends the rest.
   */

  private final String name;

  /** The term of its limits; null if there are none. */
  private final @Nullable Term places;

  private final HiddenKey key = new HiddenKey(this);
  private final Set<AtomicReference<? extends @Nullable Core<?>>> purgatories =
      ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();

  private final Term owner =
      new Term() {
        @Override
        public Rank rank() {
          return Rank.OWNER;
        }

        @Override
        public HiddenKey hiddenKey() {
          return key;
        }

        /** A request that is put into a scope twice is in it once. */
        @Override
        public @Nullable Term merged(Term later) {
          return later == this ? this : null;
        }

        @Override
        public void begin(Registration registration, Core<?> core) {
          if (!isClosed() && !purgatories.contains(core.link())) {
            purgatories.removeIf(each -> each.get() == null);
            purgatories.add(core.link());
          }
          confirm(registration);
        }

        /** Ends the request if the scope is closed. */
        @Override
        public void confirm(Registration registration) {
          Ending how = ending.get();
          if (how != null) {
            how.end(registration);
          }
        }
      };

  private Scope(String name, Limit... limits) {
    this.name = requireNonNull(name, "name");
    places = limits.length == 0 ? null : Limit.places(List.of(limits));
  }

  /**
   * How a scope ends its requests.
   *
   * @param grace ends when they have ended by themselves; null if they do not have the time
   */
  private record Ending(Outcome outcome, Throwable cause, @Nullable Grace grace) {
    boolean end(Registration registration) {
      return registration.abort(outcome, cause);
    }
  }

  /**
   * Creates an open scope.
   *
   * @param name appears in {@code toString}
   * @param limits bound the requests in this scope
   * @return a new scope
   */
  public static Scope of(String name, Limit... limits) {
    return new Scope(name, limits);
  }

  Term owner() {
    return owner;
  }

  @Nullable Term places() {
    return places;
  }

  private <K> int visit(Core<K> purgatory, Predicate<Registration> visitor) {
    return purgatory.visit(key.<K>asKey(), visitor);
  }

  private <K> int pendingIn(Core<K> purgatory) {
    return purgatory.pending(key.<K>asKey());
  }

  /** Returns the purgatories that may have requests in this scope. */
  List<Core<?>> purgatories() {
    List<Core<?>> found = new ArrayList<>();
    for (AtomicReference<? extends @Nullable Core<?>> link : purgatories) {
      Core<?> purgatory = link.get();
      if (purgatory != null) {
        found.add(purgatory);
      }
    }
    return found;
  }

  /**
   * Cancels all requests in this scope. Closing again does nothing.
   *
   * <p>The exceptions of their futures have no stack trace of their own, but one cause that shows
   * who has closed the scope.
   */
  @Override
  public void close() {
    end(new Ending(Outcome.CANCELLED, new CancellationException(this + " was closed"), null));
  }

  /**
   * Closes the scope, and fails all its requests.
   *
   * @param cause the exception for the requests
   * @return the number of requests that this call failed; 0 if the scope was closed before
   */
  public int fail(Throwable cause) {
    return end(new Ending(Outcome.FAILED, requireNonNull(cause, "cause"), null));
  }

  private int end(Ending how) {
    Headroom.ensure();
    for (Ending before; (before = ending.get()) == null || before.grace() != null; ) {
      if (ending.compareAndSet(before, how)) {
        return endAll(how);
      }
    }
    return 0;
  }

  private int endAll(Ending how) {
    int ended = 0;
    for (Core<?> purgatory : purgatories()) {
      ended += visit(purgatory, how::end);
    }
    purgatories.clear();
    return ended;
  }

  /**
   * Closes the scope gracefully: fails further requests at once, lets those in the scope end by
   * themselves, and fails the rest when the time is over. Blocks no thread. {@link #close()} or
   * {@link #fail} ends them earlier.
   *
   * @param timeout how long the requests may take, on the timers of their purgatories. Zero: no
   *     time
   * @param cause the exception for the others
   * @return completes with the number of requests that were failed at the end of the time, as soon
   *     as no request of the scope is held; answers of the last ones may still be on their way. It
   *     is complete at once if nothing is held, otherwise an executor for expirations completes it.
   *     If the scope was closed before, it does not wait, and its value is 0
   * @throws IllegalArgumentException if the timeout is negative
   */
  public CompletableFuture<Integer> close(Duration timeout, Throwable cause) {
    requireNonNull(cause, "cause");
    long nanos = Registration.nanos(timeout);
    Headroom.ensure();
    Grace grace = new Grace(cause);
    if (!ending.compareAndSet(null, new Ending(Outcome.FAILED, cause, grace))) {
      return CompletableFuture.completedFuture(0);
    }
    grace.begin(nanos);
    return grace.drained;
  }

  /** The time that a closed scope gives its requests. */
  private final class Grace {
    private final Throwable cause;
    private final CompletableFuture<Integer> drained = new CompletableFuture<>();
    private final AtomicInteger failed = new AtomicInteger();
    private final Queue<Timeout> timeouts = new ConcurrentLinkedQueue<>();

    /** The number of requests that are held, and of threads that are busy with them. */
    private final AtomicInteger busy = new AtomicInteger(1);

    /** Made before it is needed, because it takes memory. */
    private final Runnable drain = this::drain;

    Grace(Throwable cause) {
      this.cause = cause;
    }

    void begin(long nanos) {
      for (Core<?> purgatory : purgatories()) {
        visit(purgatory, each -> watch(each, purgatory));
        if (pendingIn(purgatory) > 0) {
          setTimeout(purgatory, nanos);
        }
      }
      release(null);
    }

    private boolean watch(Registration registration, Core<?> purgatory) {
      if (!registration.isEnded()) { // else it is not held, though its condition may still run
        Leaving leaving = new Leaving(this, purgatory); // may fail, so before it is counted
        busy.incrementAndGet();
        registration.attach(leaving);
      }
      return false;
    }

    private void setTimeout(Core<?> purgatory, long nanos) {
      try {
        TimeLimit limit = new TimeLimit(purgatory);
        timeouts.add(purgatory.timer().schedule(limit::look, Duration.ofNanos(nanos)));
      } catch (IllegalStateException e) {
        failAll(purgatory); // the timer is closed
      }
    }

    /** Fails the rest of a purgatory when the time is over; without memory, again. */
    private final class TimeLimit extends Retry implements Runnable {
      private final Core<?> purgatory;

      TimeLimit(Core<?> purgatory) {
        super(purgatory.wheels());
        this.purgatory = purgatory;
      }

      @Override
      protected void look() {
        purgatory.answers().runSoon(Scope.this, this);
      }

      @Override
      public void run() {
        try {
          failAll(purgatory);
        } catch (OutOfMemoryError e) {
          later();
        }
      }
    }

    private void failAll(Core<?> purgatory) {
      if (tryRetain()) {
        try {
          failed.addAndGet(visit(purgatory, each -> each.end(Outcome.FAILED, cause)));
        } finally {
          release(null);
        }
      }
    }

    /** Returns false if no request is held any more. */
    private boolean tryRetain() {
      return busy.getAndUpdate(before -> before == 0 ? 0 : before + 1) > 0;
    }

    /** Counts one out; the last one ends the grace, in the purgatory if it was a request there. */
    void release(@Nullable Core<?> purgatory) {
      if (busy.decrementAndGet() > 0) {
        return;
      }
      for (Timeout each; (each = timeouts.poll()) != null; ) {
        each.cancel();
      }
      purgatories.clear();
      if (purgatory == null) {
        drain();
      } else {
        purgatory.answers().runSoon(Scope.this, drain);
      }
    }

    private void drain() {
      drained.complete(failed.get());
    }
  }

  /** Tells a grace of the end of a request. */
  private static final class Leaving extends Attachment {
    private final Grace grace;
    private final Core<?> purgatory;

    Leaving(Grace grace, Core<?> purgatory) {
      this.grace = grace;
      this.purgatory = purgatory;
    }

    @Override
    void end() {
      grace.release(purgatory);
    }
  }

  /**
   * Returns the number of held requests in this scope, in time proportional to that number.
   *
   * @return 0 or more
   */
  public int pending() {
    int pending = 0;
    for (Core<?> purgatory : purgatories()) {
      pending += pendingIn(purgatory);
    }
    return pending;
  }

  /**
   * Returns whether the scope is closed.
   *
   * @return true once a method was called that closes it, even while its last requests have time
   */
  public boolean isClosed() {
    return ending.get() != null;
  }

  @Override
  public String toString() {
    return "Scope[" + ForeignText.of(name) + (isClosed() ? ", closed]" : "]");
  }
}
