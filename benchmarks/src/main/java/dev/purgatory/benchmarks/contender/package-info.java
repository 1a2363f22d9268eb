/**
 * Everyone who is compared, behind one interface, each by one small adapter.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.contender.Contender}, {@link
 * dev.purgatory.benchmarks.contender.Contenders}, and then any of the adapters.
 */
@NullMarked
package dev.purgatory.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
