/**
 * Measures what purgatories cost, with every rival in the same run.
 *
 * <pre>
 *   run: the plan, a JVM for each measurement of each contender, medians
 *    |
 *    +-- measure: what such a JVM runs
 *    |      |
 *    |      +-- workload: requests that arrive and are completed
 *    |      |
 *    |      +-- contender: what holds them; olddesign, one of them
 *    |      |
 *    |      +-- timer: timers by themselves
 *    |      |
 *    |      +-- jvm: what a JVM tells about itself
 *    |
 *    +-- results: what was measured
 *           |
 *           +-- report: charts and tables of it
 *           |
 *           +-- guard: tells whether it got worse
 *
 *   BrokerBench, in broker: real brokers, measured in the same way, in processes of their own
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.run.Bench}, and then the packages as above. No
 * two packages depend on each other.
 */
@NullMarked
package dev.purgatory.benchmarks;

import org.jspecify.annotations.NullMarked;
