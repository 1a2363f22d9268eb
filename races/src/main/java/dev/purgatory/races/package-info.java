/**
 * The smallest races of a purgatory, its futures, its timer and sessions: two threads with one call
 * each. Every permitted outcome is listed; any other fails.
 */
@NullMarked
package dev.purgatory.races;

import org.jspecify.annotations.NullMarked;
