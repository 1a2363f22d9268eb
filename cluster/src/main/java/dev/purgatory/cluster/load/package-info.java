/** A load of Kafka's own clients, and a ledger that shows whether a message was lost. */
@NullMarked
package dev.purgatory.cluster.load;

import org.jspecify.annotations.NullMarked;
