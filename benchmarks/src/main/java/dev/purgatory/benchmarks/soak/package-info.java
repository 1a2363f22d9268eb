/**
 * A soak of the library under bursts and steady load, which checks that memory, threads and
 * lateness do not grow.
 *
 * <p>Reading order: {@link dev.purgatory.benchmarks.soak.LibrarySoak}, {@code Traffic}, {@code
 * Samples}, {@code Flatness}.
 */
@NullMarked
package dev.purgatory.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
