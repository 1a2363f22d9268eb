/**
 * The timers that are compared by themselves, each behind the same interface.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.timer.BareTimer}, {@link
 * dev.purgatory.benchmarks.timer.Timers}, and then any of the adapters. A new timer takes one
 * adapter and one constant in {@code Timers}.
 */
@NullMarked
package dev.purgatory.benchmarks.timer;

import org.jspecify.annotations.NullMarked;
