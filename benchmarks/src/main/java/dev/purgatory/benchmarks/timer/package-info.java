/**
 * The bare timers, each adapted to the same interface.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.timer.BareTimer}, {@link
 * dev.purgatory.benchmarks.timer.Timers}, and then any of the adapters. To add a timer, write an
 * adapter and add a constant to {@code Timers}.
 */
@NullMarked
package dev.purgatory.benchmarks.timer;

import org.jspecify.annotations.NullMarked;
