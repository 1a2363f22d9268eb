/**
 * A purgatory in Micrometer: its metrics, {@link dev.purgatory.micrometer.PurgatoryMetrics}, and
 * observations of its requests, {@link dev.purgatory.micrometer.PurgatoryObservations}. Also the
 * metrics of a store of answers, {@link dev.purgatory.micrometer.AnswerMetrics}.
 */
@NullMarked
package dev.purgatory.micrometer;

import org.jspecify.annotations.NullMarked;
