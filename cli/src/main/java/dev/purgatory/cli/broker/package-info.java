/** One broker that runs until it is stopped. */
@NullMarked
package dev.purgatory.cli.broker;

import org.jspecify.annotations.NullMarked;
