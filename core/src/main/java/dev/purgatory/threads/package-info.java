/**
 * The threads that run user code, beside the clock of a timer, and what runs on them. Exported only
 * to the adapter for Netty.
 */
@NullMarked
package dev.purgatory.threads;

import org.jspecify.annotations.NullMarked;
