package dev.purgatory.kafka;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * A thread-safe histogram of durations in microseconds, with a precision of two digits and a range
 * of one hour.
 */
final class Micros {

  /*
   * The range is fixed and the histogram is never reset, so recording a duration takes two atomic
   * additions. A concurrent read may miss durations that are being recorded.
   */

  private static final long MAX = TimeUnit.HOURS.toMicros(1);

  private final AtomicHistogram histogram = new AtomicHistogram(MAX, 2);

  /** Records a duration, clamped to the range from zero to one hour, so many times. */
  void record(long nanos, int times) {
    long micros = Math.min(MAX, Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos)));
    histogram.recordValueWithCount(micros, times);
  }

  /** Returns the number of recorded durations. */
  long count() {
    return histogram.getTotalCount();
  }

  /** Returns a new histogram with the current contents of both. */
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
