package dev.purgatory.benchmarks.contender;

/** A request that a {@link Contender} holds. */
@FunctionalInterface
public interface Held {

  /**
   * Completes the request.
   *
   * @return true if this call ended the request, false if it had already ended
   */
  boolean complete();
}
