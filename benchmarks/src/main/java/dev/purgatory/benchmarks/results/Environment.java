package dev.purgatory.benchmarks.results;

/**
 * Where, when and how a run was made.
 *
 * @param date when it began, as ISO 8601 has it, in UTC
 * @param commit of the sources, with {@code -dirty} after it where they were changed; {@code
 *     unknown} outside a checkout
 * @param command what made it
 * @param mode quick or full
 * @param jdk vendor and version
 * @param os name, version and architecture
 * @param cpu the model
 * @param cores how many the JVM may use
 * @param memoryBytes of the machine; 0 where that is not known
 */
public record Environment(
    String date,
    String commit,
    String command,
    String mode,
    String jdk,
    String os,
    String cpu,
    int cores,
    long memoryBytes) {}
