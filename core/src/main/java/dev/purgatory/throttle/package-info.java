/**
 * Throttles: requests that wait until the quota of their key allows them.
 *
 * <p>Reading order: {@link dev.purgatory.throttle.Throttles}; {@link dev.purgatory.throttle.Rate};
 * {@code Throttle}, the requests of one key, with its lock; {@code TokenBucket}, the arithmetic.
 */
@NullMarked
package dev.purgatory.throttle;

import org.jspecify.annotations.NullMarked;
