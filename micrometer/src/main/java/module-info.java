/**
 * The metrics of a purgatory in a registry of Micrometer, and observations of its requests.
 *
 * <p>Start reading at {@link dev.purgatory.micrometer.PurgatoryMetrics}, or at {@link
 * dev.purgatory.micrometer.PurgatoryObservations}.
 */
module dev.purgatory.micrometer {
  requires transitive dev.purgatory;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;
  requires static transitive dev.purgatory.answers;
  requires static transitive org.jspecify;

  exports dev.purgatory.micrometer;
}
