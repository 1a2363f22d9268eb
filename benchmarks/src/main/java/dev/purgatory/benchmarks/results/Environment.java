package dev.purgatory.benchmarks.results;

/**
 * The environment of a run.
 *
 * @param date the time when the run started, in ISO 8601 and UTC
 * @param commit the commit of the sources, followed by {@code -dirty} if they were modified; {@code
 *     unknown} outside a checkout
 * @param command the command that repeats the run
 * @param mode the kind of run, such as {@code quick} or {@code full}
 * @param jdk the vendor and version of the JDK
 * @param os the name, version and architecture of the operating system
 * @param cpu the model of the processor
 * @param cores the number of cores that the JVM may use
 * @param memoryBytes the memory of the machine; 0 if it is unknown
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
