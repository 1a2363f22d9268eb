package dev.purgatory.checker;

/**
 * A seed whose program violates an invariant.
 *
 * @param seed the seed
 * @param threaded whether the program ran on several threads
 * @param finding the violation
 * @param listing the program as text, reduced if it ran on one thread
 */
public record Failure(long seed, boolean threaded, Finding finding, String listing) {}
