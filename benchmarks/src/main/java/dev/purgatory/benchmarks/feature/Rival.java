package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.contender.Identity;
import java.util.function.Supplier;

/**
 * A subject of the benchmark that does one task.
 *
 * @param <T> the task
 * @param identity the name and the color
 * @param start starts it
 */
public record Rival<T>(Identity identity, Supplier<T> start) implements Entrant {}
