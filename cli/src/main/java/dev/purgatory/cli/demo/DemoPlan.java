package dev.purgatory.cli.demo;

import java.time.Duration;

/**
 * What a run of the demo does.
 *
 * @param name what it is called in the table
 * @param dropIn whether the nodes must run the drop-in, or must not
 * @param classPath where the nodes' classes are
 * @param load how long to put the load on the nodes
 * @param consumers how many long-polling consumers
 */
public record DemoPlan(
    String name, boolean dropIn, String classPath, Duration load, int consumers) {}
