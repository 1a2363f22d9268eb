/** Requests that block, each on a virtual thread of its own. */
@NullMarked
package dev.purgatory.examples.virtual;

import org.jspecify.annotations.NullMarked;
