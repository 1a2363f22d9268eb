/**
 * Kafka's timer, implemented on the timing wheels of the core.
 *
 * <p>Kafka's own {@code TimingWheel} and {@code TimerTaskList} are internal to its timer and come
 * from the broker's jar. The drop-in does not use them, but keeps the fields that they need.
 */
@NullMarked
package org.apache.kafka.server.util.timer;

import org.jspecify.annotations.NullMarked;
