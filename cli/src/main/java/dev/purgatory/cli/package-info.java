/** The commands: options in, exit code out. Start reading at {@link dev.purgatory.cli.Main}. */
@NullMarked
package dev.purgatory.cli;

import org.jspecify.annotations.NullMarked;
