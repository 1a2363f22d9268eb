/**
 * Classes of the drop-in that have no counterpart in Kafka: the thread that drives the clock, the
 * JMX statistics, and access to the core's timer.
 */
@NullMarked
package dev.purgatory.kafka;

import org.jspecify.annotations.NullMarked;
