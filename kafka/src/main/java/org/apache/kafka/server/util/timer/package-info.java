/**
 * Kafka's timer, over the timing wheels of the core.
 *
 * <p>Kafka's own {@code TimingWheel} and {@code TimerTaskList}, which are private to its timer,
 * stay in Kafka's jar. Nothing here uses them; the fields that they need are kept.
 */
@NullMarked
package org.apache.kafka.server.util.timer;

import org.jspecify.annotations.NullMarked;
