/** The progress of {@code ./purgatory check}. */
@NullMarked
package dev.purgatory.cli.check;

import org.jspecify.annotations.NullMarked;
