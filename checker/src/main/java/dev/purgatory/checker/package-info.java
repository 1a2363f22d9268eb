/**
 * Runs random programs that use a purgatory in every way that users, clocks and executors can, and
 * checks the invariants.
 *
 * <pre>
 *   seed --> {@link dev.purgatory.checker.Checker}
 *              Generator --> Program: settings, operations with reactions, steps
 *                 |-- Simulation  one thread, virtual time; compared with a Model after each step
 *                 |-- Race        three threads; checked when all threads are idle
 *              RequestGenerator --> RequestProgram: limits, plans of requests, steps
 *                 |-- RequestRun  one thread, virtual time; compared with a RequestModel
 *              SmallProgram       sessions or throttles, each with a small model
 *              BulkGenerator --> BulkProgram: settings, steps with thousands of operations
 *                 |-- BulkRun     virtual time; Bounds on memory, threads and stack
 *              Shrinker           reduces a program that fails
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.checker.Invariant}, {@link dev.purgatory.checker.Fault},
 * {@code Action}, {@code Subject}, {@code Simulation}, {@code Model}, {@code Race}, {@code
 * BulkStep}, {@code BulkRun}, {@code Bounds}, {@code TimerCheck}, {@code WatchListsCheck}.
 */
@NullMarked
package dev.purgatory.checker;

import org.jspecify.annotations.NullMarked;
