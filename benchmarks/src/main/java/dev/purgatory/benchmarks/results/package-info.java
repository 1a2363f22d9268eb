/**
 * The results of a run, which are stored as JSON and presented as charts and tables.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.results.Results}, {@link
 * dev.purgatory.benchmarks.results.Row}, {@link dev.purgatory.benchmarks.results.Environment};
 * {@link dev.purgatory.benchmarks.results.Ratio} compares rows, and {@link
 * dev.purgatory.benchmarks.results.ResultsJson} stores them in a file.
 */
@NullMarked
package dev.purgatory.benchmarks.results;

import org.jspecify.annotations.NullMarked;
