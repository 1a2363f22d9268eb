package dev.purgatory.kafka;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** A histogram of durations in microseconds, to two digits, up to an hour. Thread-safe. */
final class Micros {

  /*
   * Its range is fixed and it is never reset, so that recording is two atomic additions. What is being
   * recorded while it is read may be missing there.
   */

  private static final long MAX = TimeUnit.HOURS.toMicros(1);

  private final AtomicHistogram histogram = new AtomicHistogram(MAX, 2);

  /** Records a duration. Negative ones count as zero, longer ones as an hour. */
  void record(long nanos) {
    histogram.recordValue(Math.min(MAX, Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos))));
  }

  /** Returns how many durations were recorded. */
  long count() {
    return histogram.getTotalCount();
  }

  /** Returns a new histogram of what this one and the other hold by now. */
  Micros plus(Micros other) {
    Micros sum = new Micros();
    sum.histogram.add(histogram);
    sum.histogram.add(other.histogram);
    return sum;
  }

  double millisAt(double percentile) {
    return histogram.getValueAtPercentile(percentile) / 1000.0;
  }

  String encoded() {
    Histogram copy = histogram.copy();
    ByteBuffer buffer = ByteBuffer.allocate(copy.getNeededByteBufferCapacity());
    int length = copy.encodeIntoCompressedByteBuffer(buffer);
    buffer.flip().limit(length);
    return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(buffer.array(), length));
  }
}
