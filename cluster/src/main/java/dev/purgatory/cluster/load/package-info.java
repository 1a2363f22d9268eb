/**
 * A load of Kafka's own clients, and a ledger that shows whether a message was lost; and a client
 * with thousands of connections on one thread, for measurements.
 */
@NullMarked
package dev.purgatory.cluster.load;

import org.jspecify.annotations.NullMarked;
