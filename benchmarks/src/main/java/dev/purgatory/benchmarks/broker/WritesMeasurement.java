package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.cluster.load.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Measures writes at a fixed rate, spread evenly over all nodes, which three replicas must
 * acknowledge.
 *
 * @param time the duration of the measurement, after a warm-up three times as long
 */
record WritesMeasurement(Duration time) implements BrokerMeasurement {
  /** One per node, since a producer combines partitions with the same leader into one request. */
  private static final int PARTITIONS = 3;

  private static final int REPLICAS = 3;

  /** Few enough that machines with two processors keep up, as latency means nothing else. */
  private static final int PER_SECOND = 50;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
  private static final Map<String, String> PARAMS = Map.of("rate", PER_SECOND + " per s");
  private static final int MESSAGE_BYTES = 100;

  /** Most of a broker's code runs once for each write, so it takes many to be compiled. */
  private static final int WARM_UP_TIMES = 3;

  private static final int DIGITS = 3;

  @Override
  public List<Sample> run(TestCluster cluster) throws IOException, InterruptedException {
    Topic topic = Topic.create(cluster.bootstrap(), "written", PARTITIONS, REPLICAS);
    try (KafkaProducer<byte[], byte[]> producer = Producers.create(cluster.bootstrap())) {
      new Run(producer, topic).write(time.multipliedBy(WARM_UP_TIMES));
      NodesCpu before = cluster.cpu();
      Histogram nanos = new Run(producer, topic).write(time);
      NodesCpu cpu = cluster.cpu().minus(before);
      List<Sample> samples = new ArrayList<>(cpu.perRequest(PARAMS, nanos.getTotalCount()));
      samples.add(sample("latency, p50", (double) nanos.getValueAtPercentile(50)));
      samples.add(sample("latency, p99", (double) nanos.getValueAtPercentile(99)));
      return samples;
    }
  }

  private static Sample sample(String metric, double nanos) {
    return new Sample(PARAMS, metric, "ns", false, nanos);
  }

  /** Writes for a given time. */
  private static final class Run {
    private final KafkaProducer<byte[], byte[]> producer;
    private final Topic topic;
    private final Recorder nanos = new Recorder(DIGITS);
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    Run(KafkaProducer<byte[], byte[]> producer, Topic topic) {
      this.producer = producer;
      this.topic = topic;
    }

    /** Returns the time from the scheduled time of each write to its acknowledgement. */
    Histogram write(Duration time) throws IOException, InterruptedException {
      long begin = System.nanoTime();
      for (long i = 0; i * INTERVAL_NANOS < time.toNanos(); i++) {
        long due = begin + i * INTERVAL_NANOS;
        sleepUntil(due);
        send((int) (i % topic.partitions()), due);
      }
      producer.flush();
      Exception first = failure.get();
      if (first != null) {
        throw new IOException("a write was not acknowledged: " + first, first);
      }
      return nanos.getIntervalHistogram();
    }

    private static void sleepUntil(long due) throws InterruptedException {
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }

    /** Ignores the future, since the callback receives the same result. */
    private void send(int partition, long due) {
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(topic.name(), partition, null, new byte[MESSAGE_BYTES]),
              (metadata, exception) -> acknowledged(exception, due));
    }

    private void acknowledged(@Nullable Exception exception, long due) {
      if (exception == null) {
        nanos.recordValue(System.nanoTime() - due);
      } else {
        failure.compareAndSet(null, exception);
      }
    }
  }
}
