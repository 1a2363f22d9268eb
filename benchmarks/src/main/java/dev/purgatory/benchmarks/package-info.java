/**
 * Measures what purgatories cost, with every rival in the same run.
 *
 * <pre>
 *   Bench -- run: the plan, a JVM for each measurement of each contender, medians
 *              |
 *              +-- measure: what such a JVM runs
 *              |      |
 *              |      +-- workload: requests that arrive and are completed
 *              |      |
 *              |      +-- contender: what holds them; olddesign, one of them
 *              |
 *              +-- results: what was measured
 *                     |
 *                     +-- report: charts and tables of it
 *                     |
 *                     +-- guard: tells whether it got worse
 *
 *   BrokerBench, in broker: real brokers, measured in the same way, in processes of their own
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.Bench}, and then the packages as above.
 */
@NullMarked
package dev.purgatory.benchmarks;

import org.jspecify.annotations.NullMarked;
