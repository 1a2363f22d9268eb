/**
 * What purgatories cost, measured in the open: every rival in the same run, whatever comes out.
 *
 * <pre>
 *   Bench -- run: the plan, a JVM for each measurement of each contender, medians
 *              |
 *              +-- measure: what such a JVM runs
 *              |      |
 *              |      +-- workload: requests that arrive and are completed
 *              |      |
 *              |      +-- contender: whoever holds them; olddesign, one of them
 *              |
 *              +-- results: what comes out
 *                     |
 *                     +-- report: charts and tables of it
 *                     |
 *                     +-- guard: whether it got worse
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.Bench}, and then the packages as above.
 */
@NullMarked
package dev.purgatory.benchmarks;

import org.jspecify.annotations.NullMarked;
