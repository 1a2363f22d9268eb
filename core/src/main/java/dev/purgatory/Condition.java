package dev.purgatory;

import dev.purgatory.base.ForeignCode;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The condition of the requests of a description. Immutable. */
interface Condition {

  /**
   * Returns the condition of one request.
   *
   * @param keys the keys of the request
   * @param taker gets the answers
   */
  Bound bind(Collection<?> keys, Registration registration, Taker taker);

  /** The condition of one request, or of all requests if it is the same for all. */
  interface Bound extends Condition {

    /**
     * Evaluates the condition.
     *
     * @param reason the reason of a signal, {@link Registration#TIMEOUT}, or null
     * @return the answer, or a {@link Found} one; null if there is none
     */
    @Nullable Object evaluate(@Nullable Object reason);

    @Override
    default Bound bind(Collection<?> keys, Registration registration, Taker taker) {
      return taker.around(this);
    }
  }

  /**
   * Returns what a condition of the user's has given, unless that looks like an answer and means
   * that there is none.
   *
   * @throws IllegalStateException for a boolean or an {@link Optional}
   */
  static @Nullable Object answer(@Nullable Object given) {
    if (given instanceof Boolean) {
      throw new IllegalStateException(
          "the condition gave "
              + given
              + ", which is an answer: use untilTrue for a boolean condition, or return null to"
              + " wait and an answer of another type");
    }
    if (given instanceof Optional) {
      throw new IllegalStateException(
          "the condition gave an Optional, which is an answer even if it is empty: return null"
              + " to wait, as orElse(null) does");
    }
    return given;
  }

  /**
   * The part of a request that its condition calls.
   *
   * @param giveBack gets an answer that is not delivered; null if nobody wants it
   * @param context the condition and {@code giveBack} run in it; null for none
   */
  record Taker(@Nullable Consumer<Object> giveBack, @Nullable UnaryOperator<Runnable> context) {

    static final Taker PLAIN = new Taker(null, null);

    static Taker of(
        @Nullable Consumer<Object> giveBack, @Nullable UnaryOperator<Runnable> context) {
      return giveBack == null && context == null ? PLAIN : new Taker(giveBack, context);
    }

    /** Returns a condition whose answers are {@link Found} ones, unless that is not needed. */
    Bound around(Bound condition) {
      return giveBack == null && context == null ? condition : reason -> find(condition, reason);
    }

    private @Nullable Found find(Bound condition, @Nullable Object reason) {
      Found found = new Found(this); // its place is made before the answer is taken
      try {
        if (context == null) {
          found.find(condition, reason);
        } else {
          context.apply(() -> found.find(condition, reason)).run();
        }
      } catch (Throwable e) {
        found.giveBack();
        throw e;
      }
      return found.value == null ? null : found;
    }
  }

  /** An answer that is delivered or given back. Only for the thread that evaluates or answers. */
  final class Found implements Runnable {
    private final Taker taker;
    private @Nullable Object value;

    Found(Taker taker) {
      this.taker = taker;
    }

    /** Evaluates the condition, unless an answer is found: a context may run this twice. */
    private void find(Bound condition, @Nullable Object reason) {
      if (value == null) {
        value = condition.evaluate(reason);
      }
    }

    @Nullable Object value() {
      return value;
    }

    /** Gives back an answer that has come too late. */
    void giveBack(@Nullable Object late) {
      value = late;
      giveBack();
    }

    /** Gives back the answer, if there is one, in the context of the holder. */
    void giveBack() {
      boolean interrupted = ForeignCode.enter();
      try {
        giveBackIn(taker.context());
      } finally {
        ForeignCode.leave(interrupted);
      }
    }

    private void giveBackIn(@Nullable UnaryOperator<Runnable> context) {
      if (context != null && value != null) {
        try {
          context.apply(this).run();
        } catch (Throwable e) {
          if (value == null) {
            throw e;
          }
          HeldFuture.CONTEXT_THREW.accept(e);
        }
      }
      run();
    }

    @Override
    public void run() {
      Object taken = value;
      value = null;
      if (taken != null && taker.giveBack() != null) {
        taker.giveBack().accept(taken);
      }
    }
  }
}
