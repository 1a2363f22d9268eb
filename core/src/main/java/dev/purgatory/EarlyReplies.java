package dev.purgatory;

import dev.purgatory.HeldFuture.Asked;
import dev.purgatory.HeldFuture.Condition;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.WheelTimer;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replies that came before somebody awaited them, each for a limited time. Also the condition of
 * the requests that await them. Thread-safe.
 */
final class EarlyReplies<I, R> implements Condition {

  /*
   * A reply leaves the map once: taken by a request, or removed by its timeout. So a request whose condition
   * takes from the map gets each reply at most once, and the purgatory gives back what such a request does
   * not get. A reply is put into the map first and its id is signalled then; a request is held first and
   * looks into the map then. So a reply and a request that meet do not miss each other.
   *
   * `size` is counted before a reply is added and after it was removed, so there are never more replies
   * than it says.
   */

  private final Core<I> core;
  private final Timer timer;
  private final long nanos;
  private final int most;
  private final Map<I, Early> replies = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();

  EarlyReplies(Core<I> core, long nanos, int most) {
    this.core = core;
    this.timer = core.timer();
    this.nanos = nanos;
    this.most = most;
  }

  /** A reply that is kept until its deadline. */
  private final class Early implements Runnable {
    private final I id;
    private final R reply;
    private final long deadline;
    private volatile @Nullable Timeout timeout;

    Early(I id, R reply, long deadline) {
      this.id = id;
      this.reply = reply;
      this.deadline = deadline;
    }

    /** Sets the timeout. One of this and {@link #taken} sees what the other has done. */
    void begin() {
      timeout = timer.scheduleAt(this, deadline);
      if (replies.get(id) != this) {
        taken();
      }
    }

    void taken() {
      Timeout set = timeout;
      if (set != null) {
        set.cancel();
      }
    }

    /** Forgets the reply; returns false if it was taken before. */
    boolean forget() {
      boolean forgotten = replies.remove(id, this);
      if (forgotten) {
        size.decrementAndGet();
        taken();
      }
      return forgotten;
    }

    @Override
    public void run() {
      forget();
    }
  }

  /**
   * Keeps a reply for the request that will await it, or gives it to one that has come meanwhile.
   *
   * @return false if there is no room, a reply with this id is kept already, or the table is closed
   */
  boolean keep(I id, R reply) {
    long now = timer.now();
    if (size.incrementAndGet() > most) {
      size.decrementAndGet();
      return false;
    }
    return add(new Early(id, reply, WheelTimer.deadline(now, nanos)));
  }

  /** Adds a reply that is counted already. */
  private boolean add(Early early) {
    boolean added = false;
    try {
      added = replies.putIfAbsent(early.id, early) == null;
    } finally {
      if (!added) {
        size.decrementAndGet();
      }
    }
    if (!added || (!begin(early) && early.forget())) {
      return false;
    }
    core.signal(early.id, null, Integer.MAX_VALUE);
    return true;
  }

  /** Returns false if the timer or the table is closed. */
  private boolean begin(Early early) {
    try {
      early.begin();
    } catch (IllegalStateException e) {
      return false;
    } catch (Throwable e) { // there is no thread or no memory
      early.forget();
      throw e;
    }
    return !core.isClosed();
  }

  private @Nullable Early take(I id) {
    if (size.get() == 0) { // so no reply was added before the request was held
      return null;
    }
    Early early = replies.remove(id);
    if (early != null) {
      size.decrementAndGet();
      early.taken();
    }
    return early;
  }

  /** Forgets all replies. */
  void clear() {
    replies.values().forEach(Early::run);
  }

  /** Returns the condition of a request that awaits the reply with this id. */
  @Override
  @SuppressWarnings("unchecked") // a table of replies has ids of this type only
  public Condition on(Collection<?> keys, Registration registration) {
    Taking taking = new Taking((I) keys.iterator().next());
    return new Asked(taking, taking, null);
  }

  @Override
  public @Nullable Object apply(@Nullable Object reason) {
    throw new IllegalStateException("no id is known: on() makes the condition");
  }

  /** Takes the reply to a request, and puts it back if the request does not get it. */
  private final class Taking implements Condition, Consumer<Object> {
    private final I id;

    /** When the reply that was taken last is forgotten. Only for the thread that evaluates. */
    private long deadline;

    Taking(I id) {
      this.id = id;
    }

    @Override
    public @Nullable Object apply(@Nullable Object reason) {
      Early early = take(id);
      if (early == null) {
        return null;
      }
      deadline = early.deadline;
      return early.reply;
    }

    @Override
    @SuppressWarnings("unchecked") // apply() has returned it
    public void accept(Object reply) {
      size.incrementAndGet(); // there was room for it before
      add(new Early(id, (R) reply, deadline));
    }
  }
}
