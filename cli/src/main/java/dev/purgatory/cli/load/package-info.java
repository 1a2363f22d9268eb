/** Kafka's own clients as a load, and the ledger that tells whether a message was lost. */
@NullMarked
package dev.purgatory.cli.load;

import org.jspecify.annotations.NullMarked;
