/**
 * A timer for very many timeouts of which few ever fire: hierarchical timing wheels.
 *
 * <p>A wheel is a ring of buckets. On the lowest level a bucket spans one tick; on each level
 * above, it spans {@code n} buckets of the level below. The ring of each level has {@code 2n}
 * buckets. An entry is put into the lowest level that reaches its deadline, so that inserting costs
 * the number of levels. A cancelled entry stays there until it is swept. The entries of an upper
 * bucket move to finer buckets, in steps, during the span before the bucket starts. When time
 * reaches a bucket of the lowest level, its entries fire.
 *
 * <p>With a tick of 1 and {@code n} of 3, started at time 0:
 *
 * <pre>
 *   level 1, a bucket spans 1    [0] [1] .. [5]          reaches deadlines up to  5
 *   level 2, a bucket spans 3    [0..2] .. [15..17]      reaches deadlines up to 17
 *   level 3, a bucket spans 9    [0..8] .. [45..53]      reaches deadlines up to 53
 *
 *   at 0, deadline  5  goes to level 1, bucket [5], and fires when that is due, at 5
 *   at 0, deadline 10  goes to level 2, bucket [9..11]; moves to level 1, [10], at 6; fires at 10
 *   at 0, deadline 20  goes to level 3, bucket [18..26]; moves to level 2, [18..20], at 9; and so on
 * </pre>
 *
 * <p>Buckets with entries wait in a queue, ordered by the time at which they are due. Its head
 * tells how long the clock may sleep. The queue has one entry per bucket, not per timeout, and the
 * clock does not tick while nothing is due.
 *
 * <p>Reading order: {@link dev.purgatory.timer.Timer} (thread-safe, with the clock), its {@code
 * Stripe}s (a lock each), {@code TimingWheels} (passive: time is an argument), {@code Wheel},
 * {@code Bucket}, {@code TimerEntry}.
 *
 * @see <a href="https://dl.acm.org/doi/10.1145/41457.37504">Varghese and Lauck, Hashed and
 *     Hierarchical Timing Wheels, 1987</a>
 */
@NullMarked
package dev.purgatory.timer;

import org.jspecify.annotations.NullMarked;
