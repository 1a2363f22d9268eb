package dev.purgatory.checker;

import java.util.List;

/**
 * The properties of an operation.
 *
 * @param timeoutNanos its timeout
 * @param keys its keys
 * @param ready whether it is ready from the start
 * @param onTry the reaction of the first {@code isReady}
 * @param onSecondTry the reaction of the second {@code isReady}
 * @param onAnswer the reaction of {@code onOutcome}
 * @param onTimeUp a further reaction of {@code onOutcome}, if the operation has expired
 */
record OperationPlan(
    long timeoutNanos,
    List<Key> keys,
    boolean ready,
    Reaction onTry,
    Reaction onSecondTry,
    Reaction onAnswer,
    Reaction onTimeUp) {

  /** Returns whether its callbacks do or throw anything. */
  boolean reacts() {
    return !(onTry.isNone() && onSecondTry.isNone() && onAnswer.isNone() && onTimeUp.isNone());
  }

  boolean hasUnusableKey() {
    return keys.stream().anyMatch(Key::isUnusable);
  }

  /** Returns the same plan without reactions. */
  OperationPlan calm() {
    return new OperationPlan(
        timeoutNanos, keys, ready, Reaction.NONE, Reaction.NONE, Reaction.NONE, Reaction.NONE);
  }
}
