/**
 * A timer for very many timeouts of which few ever fire: hierarchical timing wheels.
 *
 * <p>A wheel is a ring of {@code n} buckets. On the lowest level a bucket spans one tick; on each
 * level above, a bucket spans a whole turn of the level below. An entry is put into the lowest
 * level that reaches its deadline, so that inserting costs the number of levels. An entry that is
 * cancelled stays there until it is swept. When time reaches a bucket of an upper level, its
 * entries move down to finer ones; when it reaches a bucket of the lowest level, its entries fire.
 *
 * <p>With a tick of 1 and wheels of 3 buckets, started at time 0:
 *
 * <pre>
 *   level 1, a bucket spans 1    [0] [1] [2]             reaches deadlines up to  2
 *   level 2, a bucket spans 3    [0..2] [3..5] [6..8]    reaches deadlines up to  8
 *   level 3, a bucket spans 9    [0..8] [9..17] [18..26] reaches deadlines up to 26
 *
 *   at 0, deadline  2  goes to level 1, bucket [2], and fires when that is due, at 2
 *   at 0, deadline  5  goes to level 2, bucket [3..5]; due at 3: moves to level 1, [5]; fires at 5
 *   at 0, deadline 10  goes to level 3, bucket [9..17]; due at 9: moves to level 1, [10]
 * </pre>
 *
 * <p>Buckets that hold entries wait in a queue ordered by the time when they are due. Its head says
 * how long the clock may sleep. There is one queue entry per bucket, not per timeout, and no tick
 * without a reason.
 *
 * <p>Reading order: {@link dev.purgatory.timer.Timer} (thread-safe, with the clock), its {@code
 * Stripe}s (a lock each), {@code TimingWheels} (passive: time is an argument), {@code Wheel},
 * {@code Bucket}, {@link dev.purgatory.timer.TimerEntry}.
 *
 * @see <a href="https://dl.acm.org/doi/10.1145/41457.37504">Varghese and Lauck, Hashed and
 *     Hierarchical Timing Wheels, 1987</a>
 */
@NullMarked
package dev.purgatory.timer;

import org.jspecify.annotations.NullMarked;
