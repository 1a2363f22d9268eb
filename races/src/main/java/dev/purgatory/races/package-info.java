/**
 * The smallest races of a purgatory, its futures and its timer: two threads with one call each.
 * Every permitted outcome is listed; any other fails.
 */
@NullMarked
package dev.purgatory.races;

import org.jspecify.annotations.NullMarked;
