package dev.purgatory.checker;

/**
 * A mistake that is made in the core. Its place is found by code alone, so that comments can
 * change.
 *
 * @param name what the mistake is
 * @param stage the stage of {@link MutantMain} that catches it
 * @param file the source file
 * @param right the code that is replaced; it occurs once in the file
 * @param wrong the code that replaces it
 */
record Mutant(String name, String stage, String file, String right, String wrong) {}
