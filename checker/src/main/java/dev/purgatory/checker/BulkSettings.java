package dev.purgatory.checker;

/**
 * The settings of a timer and of purgatories that hold many operations at a time, to measure how
 * much memory, how many threads and how much stack that takes.
 *
 * @param tickNanos the tick of the timer
 * @param wheelSize the number of buckets of a wheel
 * @param stripes the number of stripes of the timer
 * @param purgatories the number of purgatories on the timer
 * @param ownThreads whether timeouts are answered on the purgatories' own threads; if not, on the
 *     thread that advances the timer
 */
record BulkSettings(long tickNanos, int wheelSize, int stripes, int purgatories, boolean ownThreads)
    implements Setup<BulkRun> {

  @Override
  public BulkRun start(Tally tally) {
    return new BulkRun(this);
  }
}
