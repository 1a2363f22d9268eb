/**
 * What the drop-in has beside Kafka's own class names: the thread that drives the clock, the
 * figures for JMX, and how the core shows through.
 */
@NullMarked
package dev.purgatory.kafka;

import org.jspecify.annotations.NullMarked;
