/**
 * The metrics of a purgatory in a registry of Micrometer.
 *
 * <p>Start reading at {@link dev.purgatory.micrometer.PurgatoryMetrics}.
 */
module dev.purgatory.micrometer {
  requires transitive dev.purgatory;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;

  exports dev.purgatory.micrometer;
}
