/**
 * Detects regressions by ratios: the cost of a contender divided by that of Kafka's classes, or of
 * what people use instead of a feature, in the same run. Ratios vary less between runs than
 * absolute values.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.guard.Guard}; {@code Figure}, which lists what
 * is compared; {@code Comparison}.
 */
@NullMarked
package dev.purgatory.benchmarks.guard;

import org.jspecify.annotations.NullMarked;
