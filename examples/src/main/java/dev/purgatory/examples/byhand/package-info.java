/** The same programs without this library, for comparison. */
@NullMarked
package dev.purgatory.examples.byhand;

import org.jspecify.annotations.NullMarked;
