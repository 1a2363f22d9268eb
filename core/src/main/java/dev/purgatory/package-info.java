/**
 * A request purgatory: holds requests that cannot be answered yet, until an event makes them
 * answerable or they time out.
 *
 * <pre>
 *   until(condition).hold(keys)   Replies.expect(id)   timeout(stage)   hold(operation, keys)
 *     |
 *     v                                               signal(key)
 *   Purgatory.hold                                        |
 *     | 1. check: condition true? --------+               v
 *     | 2. into the timer                 |       WatchLists, WatchList
 *     |    onto the list of each key -----|--------------->  --- evaluate ------+
 *     | 3. check again -------------------+                                     |
 *     v                                   |   complete, fail, cancel -----------+
 *   Timer --- due: on a helper thread ----|------> evaluate once more ----------+
 *                                         |                                     v
 *                                         +---------------------------->  Registration: claim,
 *                                                                         one winner, one Outcome
 *                                                                               |
 *                                out of the timer, registration cleared   &lt;-----+
 *                                          Answers: the answer            &lt;-----+
 * </pre>
 *
 * <p>Reading order: {@link dev.purgatory.Purgatory}, from top to bottom; {@code Condition} and
 * {@code Terms}, the parts of a description; {@code Core}, which holds, signals, releases and
 * closes; {@code Registration}, the state of an operation, and its views {@link
 * dev.purgatory.HeldFuture} and {@link dev.purgatory.DelayedOperation}; {@code Answers} and {@code
 * Nesting}, which call the user's code; the package {@code watch}, for what waits on a key; the
 * terms of an operation, {@link dev.purgatory.Thresholds}, {@link dev.purgatory.Scope}, {@link
 * dev.purgatory.Limit} and {@code Recheck}; {@link dev.purgatory.KeyGroup} and {@link
 * dev.purgatory.SignalQueue}; and then the packages {@link dev.purgatory.timer}, {@code wheel},
 * {@code threads} (helper threads and their lanes), {@code base} (counters, events, the last log),
 * {@link dev.purgatory.session} and {@link dev.purgatory.throttle}.
 *
 * <p>Where to find it: a timeout, in {@code Registration.onTimeout} and {@code Answers.expireSoon};
 * an evaluation, in the comment of {@code Registration}; the release, in the comment of {@code
 * Core} and in {@code docs/design.md#memory}.
 *
 * <p>{@link dev.purgatory.DelayedOperation} and {@link dev.purgatory.PurgatoryListener} are
 * designed for extension. All other types are final or sealed.
 *
 * <p>Memory consistency: actions of a thread before it holds a request happen-before all callbacks
 * of that request. Actions before {@code signal} happen-before the evaluations that it causes.
 */
@NullMarked
package dev.purgatory;

import org.jspecify.annotations.NullMarked;
