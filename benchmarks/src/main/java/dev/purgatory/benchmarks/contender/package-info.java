/**
 * Everyone who is compared, behind one interface, each by one small adapter. A new contender takes
 * an adapter and a constant in {@link dev.purgatory.benchmarks.contender.Contenders}.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.contender.Contender}, {@link
 * dev.purgatory.benchmarks.contender.Contenders}, {@code Traits}, and then any of the adapters.
 */
@NullMarked
package dev.purgatory.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
