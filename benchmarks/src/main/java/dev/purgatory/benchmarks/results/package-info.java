/**
 * What a run has measured, and where: the records that are written as JSON and drawn as charts.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.results.Results}, {@link
 * dev.purgatory.benchmarks.results.Row}, {@link dev.purgatory.benchmarks.results.Environment};
 * {@link dev.purgatory.benchmarks.results.ResultsJson} keeps them in a file.
 */
@NullMarked
package dev.purgatory.benchmarks.results;

import org.jspecify.annotations.NullMarked;
