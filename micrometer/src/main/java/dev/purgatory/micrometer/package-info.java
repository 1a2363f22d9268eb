/**
 * The metrics of a purgatory in a registry of Micrometer: {@link
 * dev.purgatory.micrometer.PurgatoryMetrics}.
 */
@NullMarked
package dev.purgatory.micrometer;

import org.jspecify.annotations.NullMarked;
