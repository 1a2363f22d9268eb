/** Real Kafka nodes on the loopback interface, each in its own process. */
@NullMarked
package dev.purgatory.cluster.node;

import org.jspecify.annotations.NullMarked;
