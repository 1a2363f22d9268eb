/**
 * Measures what purgatories cost, with all rivals in the same run.
 *
 * <pre>
 *   run: plans a run and starts a JVM for each measurement of each contender
 *    |
 *    +-- measure: the measurements, which run in these JVMs
 *    |      |
 *    |      +-- workload: requests that arrive and are completed
 *    |      |
 *    |      +-- contender: implementations that hold requests; olddesign is one of them
 *    |      |
 *    |      +-- timer: bare timers
 *    |      |
 *    |      +-- jvm: heap, processor time and threads of the JVM
 *    |
 *    +-- results: the measured values
 *           |
 *           +-- report: tables, charts and the published page
 *
 *   pair: SideBySide, which compares two builds of the library in one JVM
 *
 *   broker: BrokerBench, which measures real brokers in the same way, in separate processes
 *
 *   soak: LibrarySoak, which checks for hours that memory, threads and lateness do not grow
 *
 *   answers: AnswersSoak, which checks answers across instances while processes fail
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.run.Bench}, and then the packages as above. The
 * packages have no cyclic dependencies.
 */
@NullMarked
package dev.purgatory.benchmarks;

import org.jspecify.annotations.NullMarked;
