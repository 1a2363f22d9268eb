/** The same uses without this library, to compare with. */
@NullMarked
package dev.purgatory.examples.byhand;

import org.jspecify.annotations.NullMarked;
