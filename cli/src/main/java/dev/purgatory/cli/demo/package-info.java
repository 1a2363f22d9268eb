/** The demo, from starting the nodes to the table at the end. */
@NullMarked
package dev.purgatory.cli.demo;

import org.jspecify.annotations.NullMarked;
