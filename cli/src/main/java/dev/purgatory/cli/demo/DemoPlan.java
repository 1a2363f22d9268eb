package dev.purgatory.cli.demo;

import java.time.Duration;

/**
 * What a run of the demo does.
 *
 * @param name the name in the table
 * @param dropIn whether the nodes must run the drop-in; otherwise they must not
 * @param classPath the class path of the nodes
 * @param load how long the load lasts
 * @param consumers the number of long-polling consumers
 */
public record DemoPlan(
    String name, boolean dropIn, String classPath, Duration load, int consumers) {}
