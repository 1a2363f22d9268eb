/**
 * The contenders, each adapted to the same interface. To add one, write an adapter and add a
 * constant to {@link dev.purgatory.benchmarks.contender.Contenders}.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.contender.Contender}, {@link
 * dev.purgatory.benchmarks.contender.Contenders}; then any of the adapters.
 */
@NullMarked
package dev.purgatory.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
