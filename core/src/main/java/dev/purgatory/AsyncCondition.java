package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Condition.Found;
import dev.purgatory.Condition.Taker;
import dev.purgatory.base.LastResort;
import java.util.Collection;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The condition of one request whose evaluations take time: each begins a stage, and ends when the
 * stage completes. For the registration it is a condition like any other: false while a stage runs,
 * and signalled when a stage has completed. Thread-safe.
 */
final class AsyncCondition extends Attachment implements Condition.Bound {

  /*
   *     IDLE ----> STARTING ----> RUNNING ----> AGAIN         by the evaluator: a stage begins; a signal comes
   *     DUE -----> STARTING
   *     FOUND ---> IDLE                                       by the evaluator, which takes the answer
   *     STARTING, RUNNING ----> IDLE                          the stage completes with null
   *     AGAIN ----------------> DUE                           the same, and one more evaluation is due
   *     STARTING, RUNNING, AGAIN ----> FOUND                  the stage completes with an answer or fails
   *     any ----> ENDED                                       the request ends
   *
   * Only the evaluator of the registration begins a stage: so there is one at a time, none begins after the
   * end of the request, and no signal is lost. A signal finds IDLE and begins a stage, or finds RUNNING and sets
   * AGAIN, or another thread is the evaluator and comes here again. A stage that has left something to do,
   * DUE or FOUND, then has the request evaluated. With DONE as the reason: it is no signal. If the
   * registration merges it with a signal of another thread, in that moment, an evaluation too many begins.
   * None is missing.
   *
   * A stage that completes while it is STARTING, such as one that is complete already, is left to the
   * evaluator, which looks again before it leaves. So completed stages never nest.
   *
   * The first stage begins once the request is on its lists. There is no earlier check: this one sees what came
   * before, and each costs a query of a database.
   *
   * A stage refers to its Evaluation, and that to the registration, which leads to this only until the end. So
   * a stage that hangs keeps neither the request nor the user's function. `found` belongs to the thread that
   * completes the stage until it sets FOUND, and then to the one that takes the state out of FOUND.
   */

  private static final LastResort NOT_GIVEN_BACK =
      LastResort.handler("An answer that came too late could not be given back");

  /** The reason of an evaluation after a stage has completed. */
  private static final Object DONE =
      new Object() {
        @Override
        public String toString() {
          return "the end of an evaluation";
        }
      };

  private static final int IDLE = 0;
  private static final int STARTING = 1;
  private static final int RUNNING = 2;
  private static final int AGAIN = 3;
  private static final int DUE = 4;
  private static final int FOUND = 5;
  private static final int ENDED = 6;

  private final Supplier<? extends @Nullable CompletionStage<?>> condition;
  private final Registration registration;
  private final Taker taker;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private @Nullable Evaluation found;

  private AsyncCondition(
      Supplier<? extends @Nullable CompletionStage<?>> condition,
      Registration registration,
      Taker taker) {
    this.condition = condition;
    this.registration = registration;
    this.taker = taker;
  }

  /** The parts that all requests of a description share. */
  record Of(Supplier<? extends @Nullable CompletionStage<?>> condition) implements Condition {
    @Override
    public Bound bind(Collection<?> keys, Registration registration, Taker taker) {
      AsyncCondition own = new AsyncCondition(condition, registration, taker);
      registration.attach(own);
      return taker.around(own);
    }
  }

  @Override
  public @Nullable Object evaluate(@Nullable Object reason) {
    if (!registration.wasHeld() && registration.timeoutNanos() > 0) {
      return null; // it is evaluated when it is held
    }
    boolean isSignal = reason != Registration.TIMEOUT && reason != DONE;
    for (; ; ) {
      int now = state.get();
      switch (now) {
        case FOUND -> {
          return take();
        }
        case RUNNING -> {
          if (!isSignal || state.compareAndSet(RUNNING, AGAIN)) {
            return null;
          }
        }
        case IDLE, DUE -> {
          if (!isSignal && (now == IDLE || reason == Registration.TIMEOUT)) {
            return null;
          }
          if (state.compareAndSet(now, STARTING)) {
            return start();
          }
        }
        default -> {
          return null;
        }
      }
    }
  }

  private @Nullable Object start() {
    Evaluation evaluation = new Evaluation(registration, taker); // it takes memory
    CompletionStage<?> stage =
        requireNonNull(condition.get(), "the condition returned null in place of a stage");
    stage.whenComplete(evaluation);
    return state.compareAndSet(STARTING, RUNNING) ? null : take();
  }

  /** Takes what a stage has left; returns null if that is nothing. */
  private @Nullable Object take() {
    if (!state.compareAndSet(FOUND, IDLE)) {
      return null;
    }
    Evaluation done = requireNonNull(found);
    found = null;
    if (done.error != null) {
      AsyncCondition.<RuntimeException>rethrow(done.error);
    }
    return Condition.answer(done.value);
  }

  /** Throws the exception of a stage, which may be a checked one. */
  @SuppressWarnings("unchecked") // the caller takes it for an unchecked one
  private static <E extends Throwable> void rethrow(Throwable error) throws E {
    boolean wrapped = error instanceof CompletionException && error.getCause() != null;
    throw (E) (wrapped ? error.getCause() : error);
  }

  /** Records the end of an evaluation; returns false if the request has ended. */
  private boolean ended(Evaluation done) {
    for (; ; ) {
      int now = state.get();
      if (now == ENDED) {
        return false;
      }
      int next = now == AGAIN ? DUE : IDLE;
      if (done.value != null || done.error != null) {
        found = done;
        next = FOUND;
      }
      if (state.compareAndSet(now, next)) {
        if (now != STARTING && next != IDLE) {
          registration.evaluate(DONE);
        }
        return true;
      }
    }
  }

  @Override
  void end() {
    if (state.getAndSet(ENDED) == FOUND) {
      requireNonNull(found).giveBack();
    }
  }

  /** One evaluation: what its stage refers to. */
  private static final class Evaluation
      implements BiConsumer<@Nullable Object, Throwable>, Runnable {
    private final Registration registration;

    /** Gets an answer that comes too late; null if nobody wants it. */
    private final @Nullable Found late;

    private @Nullable Object value;
    private @Nullable Throwable error;

    Evaluation(Registration registration, Taker taker) {
      this.registration = registration;
      late = taker.giveBack() == null ? null : new Found(taker);
    }

    @Override
    public void accept(@Nullable Object answer, @Nullable Throwable failure) {
      value = answer;
      error = failure;
      Core<?> core = registration.behaviour().core(); // racy: null once the request is answered
      if (core == null) {
        giveBack();
      } else {
        core.nest(this);
      }
    }

    @Override
    public void run() {
      AsyncCondition of =
          registration.find(AsyncCondition.class); // null once the request has ended
      if (of == null || !of.ended(this)) {
        giveBack();
      }
    }

    void giveBack() {
      if (late == null) {
        return;
      }
      try {
        late.giveBack(value);
      } catch (Throwable e) {
        NOT_GIVEN_BACK.accept(e);
      }
    }
  }
}
