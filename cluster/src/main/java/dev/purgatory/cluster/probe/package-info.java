/** Reads the counters of a node's purgatories over JMX. */
@NullMarked
package dev.purgatory.cluster.probe;

import org.jspecify.annotations.NullMarked;
