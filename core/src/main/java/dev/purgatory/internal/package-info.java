/** Classes that the other packages of the library share. Not exported. */
@NullMarked
package dev.purgatory.internal;

import org.jspecify.annotations.NullMarked;
