/**
 * The smallest races of a purgatory and its timer: two threads, one call each. Every outcome that
 * may be is named; any other fails.
 */
@NullMarked
package dev.purgatory.races;

import org.jspecify.annotations.NullMarked;
