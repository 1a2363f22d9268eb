/**
 * Kafka's request purgatory, implemented on the core.
 *
 * <p>{@code DelayedOperationKey} and {@code TopicPartitionOperationKey} differ between versions of
 * Kafka and come from the broker's own jar.
 */
@NullMarked
package org.apache.kafka.server.purgatory;

import org.jspecify.annotations.NullMarked;
