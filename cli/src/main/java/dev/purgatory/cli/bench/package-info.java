/** What the benchmark commands share: files in and out, and tables. */
@NullMarked
package dev.purgatory.cli.bench;

import org.jspecify.annotations.NullMarked;
