/**
 * A timer for very many timeouts of which few ever fire. It runs tasks after a delay on a clock of
 * its own; purgatories, sessions and throttles can share one.
 *
 * <p>Start reading at {@link dev.purgatory.timer.Timer}: it checks arguments, and leaves the work
 * to hierarchical timing wheels, which the package {@code wheel} describes. {@link
 * dev.purgatory.timer.Ticker} is its source of time, and {@link dev.purgatory.timer.Timeout} the
 * handle of a task.
 */
@NullMarked
package dev.purgatory.timer;

import org.jspecify.annotations.NullMarked;
