/**
 * Hierarchical timing wheels with a clock: they fire entries of which most are cancelled before.
 * Exported only to modules of the library.
 *
 * <p>A wheel is a ring of buckets. On the lowest level a bucket spans one tick; on each level
 * above, it spans {@code n} buckets of the level below. The ring of each level has {@code 2n}
 * buckets. An entry is put into the lowest level that reaches its deadline, so that inserting costs
 * the number of levels. A cancelled entry stays there until it is swept. When time reaches a bucket
 * of the lowest level, its entries fire. The entries of an upper bucket fire from there, too, if
 * they came in the order of their deadlines, or are few. Otherwise they move to finer buckets, in
 * steps, during the span before the bucket starts.
 *
 * <p>With a tick of 1 and {@code n} of 4, started at time 0:
 *
 * <pre>
 *   level 1, a bucket spans  1   [0] [1] .. [7]          reaches deadlines up to   7
 *   level 2, a bucket spans  4   [0..3] .. [28..31]      reaches deadlines up to  31
 *   level 3, a bucket spans 16   [0..15] .. [112..127]   reaches deadlines up to 127
 *
 *   at 0, deadline  7  goes to level 1, bucket [7], and fires at 7. Among many in another order:
 *   at 0, deadline 14  goes to level 2, bucket [12..15]; moves to level 1, [14], from 8 on; fires at 14
 *   at 0, deadline 40  goes to level 3, bucket [32..47]; moves to level 2, [40..43], from 16 on
 * </pre>
 *
 * <p>Buckets with entries wait in a queue, ordered by the time at which they are due. Its head
 * tells how long the clock may sleep. The queue has one entry per bucket, not per timeout, and the
 * clock does not tick while nothing is due.
 *
 * <p>Reading order: {@link dev.purgatory.wheel.WheelTimer} (thread-safe, with the clock), its
 * {@code Stripe}s (a lock each), {@code TimingWheels} (passive: time is an argument), {@code
 * Wheel}, {@code Bucket}, {@code TimerEntry}.
 *
 * @see <a href="https://dl.acm.org/doi/10.1145/41457.37504">Varghese and Lauck, Hashed and
 *     Hierarchical Timing Wheels, 1987</a>
 */
@NullMarked
package dev.purgatory.wheel;

import org.jspecify.annotations.NullMarked;
