package dev.purgatory.cli.soak;

import java.time.Duration;

/**
 * What a soak should be.
 *
 * @param classPath where the nodes' classes are
 * @param dropIn whether the nodes must run the drop-in, or must not
 * @param length how long the load lasts
 * @param consumers how many consumers wait for messages
 * @param seed decides what befalls which node for how long
 */
public record SoakPlan(
    String classPath, boolean dropIn, Duration length, int consumers, long seed) {}
