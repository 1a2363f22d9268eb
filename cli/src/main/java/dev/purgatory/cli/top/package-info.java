/** What {@code ./purgatory top} shows. */
@NullMarked
package dev.purgatory.cli.top;

import org.jspecify.annotations.NullMarked;
