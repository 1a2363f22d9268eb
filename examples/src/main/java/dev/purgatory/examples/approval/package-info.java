/** Human in the loop: a tool call of an agent waits until a person decides, on any instance. */
@NullMarked
package dev.purgatory.examples.approval;

import org.jspecify.annotations.NullMarked;
