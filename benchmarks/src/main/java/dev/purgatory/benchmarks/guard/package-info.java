/**
 * Finds out whether something got worse, by ratios: what a contender costs, divided by what Kafka's
 * classes cost in the same run. Two runs differ by the machine's mood, and less so their ratios.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.guard.Guard}, {@code Figure}, what is compared;
 * {@code Comparison} and {@code Ratio}, how.
 */
@NullMarked
package dev.purgatory.benchmarks.guard;

import org.jspecify.annotations.NullMarked;
