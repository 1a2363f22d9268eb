/** One runnable class per idea. Start with {@code HelloPurgatory}. */
@NullMarked
package dev.purgatory.examples;

import org.jspecify.annotations.NullMarked;
