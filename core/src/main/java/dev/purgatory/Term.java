package dev.purgatory;

import dev.purgatory.watch.HiddenKey;
import org.jspecify.annotations.Nullable;

/**
 * A term on which an operation is held: an owner ({@link Scope}), limits ({@link Limit}), a
 * threshold, a period ({@link Recheck}), diagnostics ({@link Trace}), the memory of late replies
 * ({@link EndedWaits}), or several of these ({@link Terms}). To learn of the end of the operation,
 * it adds an {@link Attachment}. It does not get the keys: see {@link Terms#ofRequest}.
 */
interface Term {

  /** No term. */
  Term NONE = new Term() {};

  /** The order in which the terms of an operation are called. */
  enum Rank {
    /** What may end or refuse a request ranks before limits, which may evict another one for it. */
    OWNER,

    /** A request that is refused must not register for an event. */
    LIMIT,

    EVENT
  }

  /** Returns the place of this term among others. */
  default Rank rank() {
    return Rank.EVENT;
  }

  /**
   * Returns one term in place of this one and of another that is added later.
   *
   * @return null if both stay
   */
  default @Nullable Term merged(Term later) {
    return null;
  }

  /**
   * Returns a key on which the operation is held besides those of its user.
   *
   * @return null if there is none
   */
  default @Nullable HiddenKey hiddenKey() {
    return null;
  }

  /** Called before the first evaluation, by the adding thread. */
  default void admit(Registration registration, Core<?> core) {}

  /**
   * Called before the operation is held: may end it or refuse it. Not called if the operation is
   * answered at once or has a time limit of zero.
   *
   * @throws LimitExceededException if there is no place for it: the operation is refused. Any other
   *     exception fails it
   */
  default void begin(Registration registration, Core<?> core) {}

  /**
   * Returns the event for which the operation waits, if that is not a key.
   *
   * @return for messages; null if there is none
   */
  default @Nullable Object event() {
    return null;
  }

  /** Returns whether that event has come. */
  default boolean hasCome() {
    return false;
  }

  /**
   * Called when the operation is on its lists and was evaluated again, and in place of {@link
   * #begin} if it does not wait at all: ends the operation if the term has ended.
   */
  default void confirm(Registration registration) {}
}
