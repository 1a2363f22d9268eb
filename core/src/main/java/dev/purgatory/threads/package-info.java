/**
 * The threads that run user code, beside the clock of a timer, and what runs on them. Not exported.
 */
@NullMarked
package dev.purgatory.threads;

import org.jspecify.annotations.NullMarked;
