/** Files, tables and progress of the benchmark commands. */
@NullMarked
package dev.purgatory.cli.bench;

import org.jspecify.annotations.NullMarked;
