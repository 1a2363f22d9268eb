/**
 * A request purgatory: holds delayed operations until an event or time ends them.
 *
 * <pre>
 *   tryCompleteElseWatch(operation, keys)
 *     |                                            checkAndComplete(key)
 *     | 1. check: answerable? ------------+               |
 *     | 2. into the timer                 |               v
 *     |    onto the list of each key ---------------> watch list --- evaluate --+
 *     | 3. check again -------------------+                                     |
 *     |                                   |      forceComplete() ---------------+
 *     v                                   |                                     |
 *   timing wheels --- time is up ---------|-------------------------------------+
 *                                         |                                     v
 *                                         +------------------------------->   claim   one winner
 *                                                                               |
 *                                          out of the timer, cell cleared  &lt;----+
 *                                                       onComplete         &lt;----+
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.Purgatory}, from top to bottom; {@link
 * dev.purgatory.DelayedOperation}, the state machine; {@code WatchLists}, {@code WatchList}, {@code
 * CellChain}, {@code Cell}; {@code Callbacks} and {@code Nesting}, which call code from outside;
 * {@code Purger} and {@code Worker}; and then the package {@link dev.purgatory.timer}.
 *
 * <p>Memory consistency: what a thread does before it hands an operation in happens-before all
 * callbacks of that operation; what it does before {@code checkAndComplete} happens-before the
 * evaluation that answers to that check.
 */
@NullMarked
package dev.purgatory;

import org.jspecify.annotations.NullMarked;
