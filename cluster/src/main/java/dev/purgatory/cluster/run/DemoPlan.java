package dev.purgatory.cluster.run;

import java.time.Duration;

/**
 * The settings of a run of the demo.
 *
 * @param name the name in the table
 * @param dropIn whether the nodes must run the drop-in; otherwise, they must run stock Kafka
 * @param classPath the class path of the nodes
 * @param load the duration of the load
 * @param consumers the number of long-polling consumers
 */
public record DemoPlan(
    String name, boolean dropIn, String classPath, Duration load, int consumers) {}
