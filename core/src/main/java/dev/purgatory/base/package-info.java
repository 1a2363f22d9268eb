/**
 * Counters, events, and the log of errors that nobody handles. Exported only to the adapter for
 * Netty.
 */
@NullMarked
package dev.purgatory.base;

import org.jspecify.annotations.NullMarked;
