/**
 * Answers that are given on one instance of a service and awaited on another.
 *
 * <p>Start reading at {@link dev.purgatory.answers.SharedReplies}.
 */
@NullMarked
package dev.purgatory.answers;

import org.jspecify.annotations.NullMarked;
