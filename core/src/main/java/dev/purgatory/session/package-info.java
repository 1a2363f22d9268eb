/**
 * Sessions of clients, connections or leases, each of which expires unless it is touched.
 *
 * <p>Start reading at {@link dev.purgatory.session.Sessions}; then {@code SessionEntry}, where a
 * touch races with the end, and {@code EventQueue}, which tells the listeners.
 */
@NullMarked
package dev.purgatory.session;

import org.jspecify.annotations.NullMarked;
