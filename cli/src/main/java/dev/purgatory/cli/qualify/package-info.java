/** The parts of {@code ./purgatory qualify} that need no nodes. */
@NullMarked
package dev.purgatory.cli.qualify;

import org.jspecify.annotations.NullMarked;
