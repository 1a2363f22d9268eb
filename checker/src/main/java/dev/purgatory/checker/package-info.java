/**
 * Runs random programs that use the library in every way that users, clocks and executors can, and
 * checks the invariants.
 *
 * <pre>
 *   seed --> {@link dev.purgatory.checker.Checker}
 *              --> Program: a Setup and Steps; it runs, races, shrinks and prints itself
 *                 --> Run: a part of the library, and a model of it
 *
 *   run            generator           compared with
 *   Simulation     OperationGenerator  Model, after each step
 *   Race           OperationGenerator  History, when all threads are idle
 *   RequestRun     RequestGenerator    RequestModel, after each step
 *   SessionRun     itself              deadlines, after each step
 *   ThrottleRun    itself              token buckets, after each step
 *   BulkRun        BulkGenerator       Bounds on memory, threads and stack, after each step
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.checker.Invariant}, {@link dev.purgatory.checker.Fault},
 * {@code Program}, {@code Run}, {@code SessionRun}, {@code Subject}, {@code OperationRun}, {@code
 * Simulation}, {@code Model}, {@code Race}, {@code BulkStep}, {@code BulkRun}, {@code Bounds},
 * {@code TimerCheck}, {@code WatchListsCheck}, {@code RequestRun}, {@code RequestModel}.
 */
@NullMarked
package dev.purgatory.checker;

import org.jspecify.annotations.NullMarked;
