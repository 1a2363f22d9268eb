/** Tables and progress bars in a terminal. */
@NullMarked
package dev.purgatory.cli.text;

import org.jspecify.annotations.NullMarked;
