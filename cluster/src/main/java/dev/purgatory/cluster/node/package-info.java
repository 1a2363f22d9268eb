/** Real Kafka nodes, each a process of its own, on the loopback interface. */
@NullMarked
package dev.purgatory.cluster.node;

import org.jspecify.annotations.NullMarked;
