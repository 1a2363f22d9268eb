/**
 * The threads that run user code, beside the clock of a timer, and what runs on them. Exported only
 * to modules of the library.
 */
@NullMarked
package dev.purgatory.threads;

import org.jspecify.annotations.NullMarked;
