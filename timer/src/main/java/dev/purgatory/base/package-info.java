/**
 * Counters, events, and the log of errors that nobody handles. Exported only to modules of the
 * library.
 */
@NullMarked
package dev.purgatory.base;

import org.jspecify.annotations.NullMarked;
