/**
 * Random programs that do to a purgatory all that users, clocks and executors may do to it, and the
 * invariants that have to hold all the while.
 *
 * <pre>
 *   seed --> {@link dev.purgatory.checker.Checker}
 *              Generator --> Program: settings, operations with their reactions, steps
 *                 |-- Simulation  one thread, virtual time; a Model is compared after each step
 *                 |-- Race        three threads; looked at once all is quiet
 *              BulkGenerator --> BulkProgram: settings, steps with thousands of operations
 *                 |-- BulkRun     virtual time; Bounds of memory, threads and stack
 *              Shrinker           makes a program that fails small
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.checker.Invariant}, {@link dev.purgatory.checker.Fault},
 * {@code Action}, {@code Subject}, {@code Simulation}, {@code Model}, {@code Race}, {@code
 * BulkStep}, {@code BulkRun}, {@code Bounds}, {@code TimerCheck}, {@code WatchListsCheck}.
 */
@NullMarked
package dev.purgatory.checker;

import org.jspecify.annotations.NullMarked;
