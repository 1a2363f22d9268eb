/**
 * The library under bursts and steady load, for as long as desired, to see that memory, threads and
 * lateness do not grow.
 *
 * <p>Reading order: {@link dev.purgatory.cli.soak.library.LibrarySoak}, {@code Traffic}, {@code
 * Samples}, {@code Flatness}.
 */
@NullMarked
package dev.purgatory.cli.soak.library;

import org.jspecify.annotations.NullMarked;
