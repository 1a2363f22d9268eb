/** One runnable class per idea. Start with {@code LongPoll}. */
@NullMarked
package dev.purgatory.examples;

import org.jspecify.annotations.NullMarked;
