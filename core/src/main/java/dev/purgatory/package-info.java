/**
 * A request purgatory: holds requests that cannot be answered yet, until an event makes them
 * answerable or they time out.
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
 * <p>Reading order: {@link dev.purgatory.Purgatory}, from top to bottom; {@code Admission}, which
 * adds operations, and {@code Signals}, which finds them; {@code Registration} and {@code
 * OperationState}; its views, {@link dev.purgatory.HeldFuture} and {@link
 * dev.purgatory.DelayedOperation}; {@code WatchLists}, {@code Maps}, {@code WatchList}, {@code
 * RegistrationChain}; {@code Callbacks} and {@code Nesting}, which call the user's code; {@code
 * Purger}; {@link dev.purgatory.Thresholds}, {@link dev.purgatory.Scope}, {@link
 * dev.purgatory.Limit} and {@link dev.purgatory.KeySet}, which are kept as {@code Attachment}s and
 * keys; {@link dev.purgatory.SignalQueue}; and then the packages {@link dev.purgatory.timer},
 * {@link dev.purgatory.session} and {@link dev.purgatory.throttle}.
 *
 * <p>{@link dev.purgatory.DelayedOperation}, {@link dev.purgatory.OperationAdapter} and {@link
 * dev.purgatory.PurgatoryListener} are designed for extension. All other types are final or sealed.
 *
 * <p>Memory consistency: actions of a thread before it holds a request happen-before all callbacks
 * of that request. Actions before {@code signal} happen-before the evaluations that it causes.
 */
@NullMarked
package dev.purgatory;

import org.jspecify.annotations.NullMarked;
