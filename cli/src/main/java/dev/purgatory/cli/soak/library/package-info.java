/**
 * A soak of the library under bursts and steady load, which checks that memory, threads and
 * lateness do not grow.
 *
 * <p>Reading order: {@link dev.purgatory.cli.soak.library.LibrarySoak}, {@code Traffic}, {@code
 * Samples}, {@code Flatness}.
 */
@NullMarked
package dev.purgatory.cli.soak.library;

import org.jspecify.annotations.NullMarked;
