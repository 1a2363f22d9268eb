/** What people see of {@code ./purgatory check}. */
@NullMarked
package dev.purgatory.cli.check;

import org.jspecify.annotations.NullMarked;
