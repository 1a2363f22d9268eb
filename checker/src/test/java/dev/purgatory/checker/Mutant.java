package dev.purgatory.checker;

/**
 * A mistake that somebody might make in the core.
 *
 * @param name what the mistake is
 * @param stage the stage of {@link MutantMain} that catches it
 * @param file where it is made
 * @param right what stands there, once
 * @param wrong what is put in its place
 */
record Mutant(String name, String stage, String file, String right, String wrong) {}
