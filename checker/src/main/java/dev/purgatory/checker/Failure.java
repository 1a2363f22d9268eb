package dev.purgatory.checker;

/**
 * A seed under which an invariant does not hold.
 *
 * @param seed the seed
 * @param threaded whether its program ran on several threads
 * @param finding what does not hold
 * @param listing the program for people, without what does not matter
 */
public record Failure(long seed, boolean threaded, Finding finding, String listing) {}
