package dev.purgatory.checker;

import java.util.List;

/**
 * What an operation is like.
 *
 * @param timeoutNanos how long it may be held
 * @param keys what it waits on
 * @param answerable whether it can be answered from the start
 * @param onTry what its first isReady does
 * @param onSecondTry what its second isReady does
 * @param onAnswer what its onOutcome does
 * @param onTimeUp what its onExpiration does
 */
record OperationPlan(
    long timeoutNanos,
    List<Key> keys,
    boolean answerable,
    Reaction onTry,
    Reaction onSecondTry,
    Reaction onAnswer,
    Reaction onTimeUp) {

  /** Whether its callbacks do or throw anything. */
  boolean reacts() {
    return !(onTry.isNone() && onSecondTry.isNone() && onAnswer.isNone() && onTimeUp.isNone());
  }

  boolean hasUnusableKey() {
    return keys.stream().anyMatch(Key::isUnusable);
  }

  /** The same with callbacks that do nothing besides. */
  OperationPlan calm() {
    return new OperationPlan(
        timeoutNanos, keys, answerable, Reaction.NONE, Reaction.NONE, Reaction.NONE, Reaction.NONE);
  }
}
