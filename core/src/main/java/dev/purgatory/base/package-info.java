/** Counters, events, and the log of errors that nobody handles. Not exported. */
@NullMarked
package dev.purgatory.base;

import org.jspecify.annotations.NullMarked;
