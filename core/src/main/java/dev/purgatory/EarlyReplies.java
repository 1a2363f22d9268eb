package dev.purgatory;

import dev.purgatory.Condition.Bound;
import dev.purgatory.Condition.Taker;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replies that came before somebody awaited them, each for a limited time. Also the condition of
 * the requests that await them. Thread-safe.
 */
final class EarlyReplies<I, R> implements Condition {

  /*
   * A reply leaves the table once: taken by a request, or removed by its timeout. So a request whose condition
   * takes from the table gets each reply at most once, and the purgatory gives back what such a request does
   * not get. A reply is put into the table first and its id is signalled then; a request is held first and
   * looks into the table then. So a reply and a request that meet do not miss each other.
   */

  private final Core<I> core;
  private final Remembered<I, R> replies;

  EarlyReplies(Core<I> core, long nanos, int most) {
    this.core = core;
    this.replies = new Remembered<>(core, nanos, most);
  }

  /**
   * Keeps a reply for the request that will await it, or gives it to one that awaits it now.
   *
   * @return false if there is no room, a reply with this id is kept already, or the table is closed
   */
  boolean keep(I id, R reply) {
    Remembered<I, R>.Entry early = replies.entry(id, reply);
    if (replies.putIfAbsent(early) != null || !early.begin()) {
      return false;
    }
    core.signal(id, null, Integer.MAX_VALUE);
    return true;
  }

  /** Forgets all replies. */
  void clear() {
    replies.clear();
  }

  /** Returns the condition of a request that awaits the reply with this id. */
  @Override
  @SuppressWarnings("unchecked") // a table of replies has ids of this type only
  public Bound bind(Collection<?> keys, Registration registration, Taker taker) {
    Taking taking = new Taking((I) keys.iterator().next());
    return Taker.of(taking, taker.context()).around(taking);
  }

  /** Takes the reply to a request, and puts it back if the request does not get it. */
  private final class Taking implements Bound, Consumer<Object> {
    private final I id;

    /** The reply that was taken last. Only for the thread that evaluates. */
    private Remembered<I, R>.@Nullable Entry taken;

    Taking(I id) {
      this.id = id;
    }

    @Override
    public @Nullable Object evaluate(@Nullable Object reason) {
      Remembered<I, R>.Entry early = replies.get(id);
      if (early == null || !early.remove()) {
        return null;
      }
      taken = early;
      return early.value();
    }

    @Override
    public void accept(Object reply) {
      Remembered<I, R>.Entry early = taken;
      if (early != null && replies.putBack(early)) {
        core.signal(id, null, Integer.MAX_VALUE);
      }
    }
  }
}
