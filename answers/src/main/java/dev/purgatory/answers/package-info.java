/**
 * Answers that are given on one instance of a service and awaited on another, and signals that
 * reach the waiters of all instances.
 *
 * <p>Start reading at {@link dev.purgatory.answers.SharedReplies} or {@link
 * dev.purgatory.answers.SharedSignals}.
 */
@NullMarked
package dev.purgatory.answers;

import org.jspecify.annotations.NullMarked;
