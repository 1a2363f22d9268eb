/**
 * Lists of waiters by key, and their purge. Of what waits, this package only knows whether it has
 * ended. A waiter is
 *
 * <ul>
 *   <li><i>in use</i> until it is cleared;
 *   <li><i>ended</i> when its end is decided, before it is cleared;
 *   <li><i>cleared</i> when it refers to nothing any more: it stays on its lists until it is
 *       removed.
 * </ul>
 *
 * A list is <i>retired</i> when it is empty and gets no waiter any more.
 */
@NullMarked
package dev.purgatory.watch;

import org.jspecify.annotations.NullMarked;
