package dev.purgatory.benchmarks.contender;

/** A request that a {@link Contender} holds. */
@FunctionalInterface
public interface Held {

  /**
   * Completes it now.
   *
   * @return true if this call ended it; false if it had ended before
   */
  boolean complete();
}
