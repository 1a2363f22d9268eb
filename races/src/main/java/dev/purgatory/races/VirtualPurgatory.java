package dev.purgatory.races;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatorySettings;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A purgatory in virtual time: no timeout expires before {@link #passTimeout}. */
class VirtualPurgatory {
  static final Duration TIMEOUT = Duration.ofMillis(1);

  private final AtomicLong now = new AtomicLong();

  final Timer timer = Timer.builder().ticker(now::get).build();
  final Purgatory<String> purgatory;
  private final @Nullable Replies<String, String> replies;

  VirtualPurgatory() {
    this(null);
  }

  /**
   * Creates the purgatory of a table of replies.
   *
   * @param setting sets up the table; null if there is none
   */
  VirtualPurgatory(@Nullable UnaryOperator<Replies.Builder<String, String>> setting) {
    if (setting == null) {
      replies = null;
      purgatory = set(Purgatory.<String>builder("race", String.class)).build();
    } else {
      replies =
          setting
              .apply(set(Replies.<String, String>builder("race", String.class, String.class)))
              .build();
      purgatory = replies.purgatory();
    }
  }

  private <S extends PurgatorySettings<S>> S set(S builder) {
    return builder.timer(timer).expirationExecutor(Runnable::run);
  }

  /** Returns the table of replies that has the purgatory. */
  Replies<String, String> replies() {
    return requireNonNull(replies);
  }

  /** Moves time past the timeout and expires what is still held. */
  void passTimeout() {
    reachTimeout();
    timer.advance();
  }

  /** Moves time past the timeout. */
  void reachTimeout() {
    pass(TIMEOUT.multipliedBy(2));
  }

  void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  long now() {
    return now.get();
  }

  /** Holds a request in a scope, until it is completed from outside. */
  HeldFuture<String> hold(Scope scope) {
    return purgatory.<String>untilCompleted().inScope(scope).orTimeout(TIMEOUT).hold("a");
  }

  /** Returns an outcome as it appears in results: "held" for none. */
  static String text(@Nullable Outcome outcome) {
    return outcome == null ? "held" : outcome.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the outcome of a future, and its value or the name of its exception. */
  static String end(HeldFuture<String> future) {
    return text(future.outcome()) + ' ' + answer(future);
  }

  private static String answer(HeldFuture<String> future) {
    if (!future.isDone()) {
      return "incomplete";
    }
    Throwable cause = future.cause();
    return cause == null ? future.join() : cause.getClass().getSimpleName();
  }

  /** Returns the end of a future, and what the purgatory still has. */
  String endAndLeft(HeldFuture<String> future) {
    return end(future) + ' ' + left();
  }

  /** Returns how many operations the purgatory still holds, and how many timeouts the timer. */
  String left() {
    return "pending " + purgatory.pending() + " timed " + timer.size();
  }
}
