/** The commands of the launcher. Start reading at {@link dev.purgatory.cli.Main}. */
@NullMarked
package dev.purgatory.cli;

import org.jspecify.annotations.NullMarked;
