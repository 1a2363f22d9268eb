/**
 * Kafka's request purgatory, over that of the core.
 *
 * <p>{@code DelayedOperationKey} and {@code TopicPartitionOperationKey} differ between versions of
 * Kafka, and are those of the broker's own jar.
 */
@NullMarked
package org.apache.kafka.server.purgatory;

import org.jspecify.annotations.NullMarked;
