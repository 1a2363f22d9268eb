/**
 * A request purgatory: holds requests that cannot be answered yet, until an event or time ends
 * them.
 *
 * <pre>
 *   until(condition).hold(keys)   Replies.expect(id)   limit(stage)   hold(operation, keys)
 *     |
 *     v                                               signal(key)
 *   Purgatory.hold                                        |
 *     | 1. check: condition true? --------+               v
 *     | 2. into the timer                 |       WatchLists, WatchList
 *     |    onto the list of each key -----|--------------->  --- evaluate ------+
 *     | 3. check again -------------------+                                     |
 *     v                                   |   complete, fail, cancel -----------+
 *   Timer --- time is up -----------------|-------------------------------------+
 *                                         |                                     v
 *                                         +---------------------------->  Registration: claim,
 *                                                                         one winner, one Outcome
 *                                                                               |
 *                                out of the timer, registration cleared   &lt;-----+
 *                                          Callbacks: the answer          &lt;-----+
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.Purgatory}, from top to bottom; {@code Registration}, the
 * state of an operation; its views, {@link dev.purgatory.HeldFuture} and {@link
 * dev.purgatory.DelayedOperation}; {@code WatchLists}, {@code Maps}, {@code WatchList}, {@code
 * RegistrationChain}; {@code Callbacks} and {@code Nesting}, which call the user's code; {@code
 * Purger} and {@code Worker}; and then the package {@link dev.purgatory.timer}.
 *
 * <p>To be extended are {@link dev.purgatory.DelayedOperation}, {@link
 * dev.purgatory.OperationAdapter} and {@link dev.purgatory.PurgatoryListener}. All other types are
 * final or sealed.
 *
 * <p>Memory consistency: what a thread does before it holds a request happens-before all callbacks
 * of that request; what it does before {@code signal} happens-before the evaluation that answers to
 * that signal.
 */
@NullMarked
package dev.purgatory;

import org.jspecify.annotations.NullMarked;
