/** Reads over JMX what a node's purgatories count. */
@NullMarked
package dev.purgatory.cluster.probe;

import org.jspecify.annotations.NullMarked;
