/** What both packages of the library need, and nobody else. Not exported. */
@NullMarked
package dev.purgatory.internal;

import org.jspecify.annotations.NullMarked;
