package dev.purgatory.cluster.run;

import java.time.Duration;

/**
 * The settings of a soak.
 *
 * @param classPath the class path of the nodes
 * @param dropIn whether the nodes must run the drop-in; otherwise, they must run stock Kafka
 * @param length the duration of the load
 * @param consumers the number of long-polling consumers
 * @param seed the seed of the disturbances
 */
public record SoakPlan(
    String classPath, boolean dropIn, Duration length, int consumers, long seed) {}
