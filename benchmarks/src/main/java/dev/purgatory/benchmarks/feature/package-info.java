/**
 * Tasks beyond holding requests, and what does them: this library, and what people write by hand.
 *
 * <p>Each task is an interface, such as {@link dev.purgatory.benchmarks.feature.ReplyTable}. {@link
 * dev.purgatory.benchmarks.feature.Lineup} names the classes that do it. A contract test checks
 * each of them: a rival that loses an answer, or retains ended requests, would not be fair.
 */
@NullMarked
package dev.purgatory.benchmarks.feature;

import org.jspecify.annotations.NullMarked;
