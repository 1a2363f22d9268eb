package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.cluster.load.FetchClient;
import dev.purgatory.cluster.load.FetchConnection;
import dev.purgatory.cluster.load.Topic;
import dev.purgatory.cluster.probe.NodeProbe;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Measures thousands of long polls of the same partitions that are completed by a single write.
 *
 * @param held the number of long polls
 * @param time the time to measure wake-ups, after a warm-up of the same length
 * @param holds whether polls are held; otherwise, only the connections are measured
 */
record HeldMeasurement(int held, Duration time, boolean holds) implements BrokerMeasurement {
  private static final int PARTITIONS = 10;
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final long PATIENCE_SECONDS = 30;
  private static final long QUIET_MILLIS = 50;
  private static final int DIGITS = 3;
  private static final int MESSAGE_BYTES = 100;

  /** Enough connections to load all classes involved, and too few to matter otherwise. */
  private static final int FIRST = 20;

  private static final Duration FIRST_WAIT = Duration.ofMillis(100);

  @Override
  public List<Sample> run(TestCluster cluster) throws IOException, InterruptedException {
    Topic topic = Topic.create(cluster.bootstrap(), "held", PARTITIONS, 1);
    try (KafkaProducer<byte[], byte[]> producer = Producers.create(cluster.bootstrap());
        FetchClient client = new FetchClient(cluster.address())) {
      useOnce(cluster, topic, producer);
      return new Run(cluster.probe(), topic, producer, client).measure();
    }
  }

  private static void useOnce(
      TestCluster cluster, Topic topic, KafkaProducer<byte[], byte[]> producer)
      throws IOException, InterruptedException {
    try (FetchClient first = new FetchClient(cluster.address())) {
      first.connect(FIRST, topic, PARTITIONS);
      first.fetchOnce(FIRST_WAIT);
      await(write(producer, topic));
      first.fetchOnce(FIRST_WAIT);
    }
  }

  private static Future<RecordMetadata> write(KafkaProducer<byte[], byte[]> producer, Topic topic) {
    return producer.send(new ProducerRecord<>(topic.name(), 0, null, new byte[MESSAGE_BYTES]));
  }

  private static void await(Future<RecordMetadata> written)
      throws IOException, InterruptedException {
    try {
      written.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("a write was not acknowledged: " + e, e);
    }
  }

  /** The measurement of one broker. */
  private final class Run {
    private final NodeProbe broker;
    private final Topic topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final FetchClient client;
    private final List<Sample> samples = new ArrayList<>();

    Run(NodeProbe broker, Topic topic, KafkaProducer<byte[], byte[]> producer, FetchClient client) {
      this.broker = broker;
      this.topic = topic;
      this.producer = producer;
      this.client = client;
    }

    List<Sample> measure() throws IOException, InterruptedException {
      long empty = broker.liveBytes();
      client.connect(held, topic, PARTITIONS);
      client.fetchOnce(Duration.ZERO);
      client.fetchOnce(Duration.ZERO);
      long idle = broker.liveBytes();
      if (holds) {
        holdAll();
        measureHeap(empty, idle);
        measureWakeUps(idle);
      } else {
        addEach("heap per connection", idle - empty);
      }
      return samples;
    }

    private void measureHeap(long empty, long idle) throws IOException, InterruptedException {
      long full = broker.liveBytes();
      addEach("heap per connection", full - empty);
      addEach("heap per held request", full - idle);
      wakeAll(new Histogram(DIGITS));
    }

    private void measureWakeUps(long idle) throws IOException, InterruptedException {
      wakeUps();
      Histogram nanos = wakeUps();
      add("wake-up, p50", "ns", (double) nanos.getValueAtPercentile(50));
      add("wake-up, p99", "ns", (double) nanos.getValueAtPercentile(99));
      add("wake-up, last", "ns", (double) nanos.getMaxValue());
      addEach("heap left per request", broker.liveBytes() - idle);
    }

    private Histogram wakeUps() throws IOException, InterruptedException {
      Histogram nanos = new Histogram(DIGITS);
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < time.toNanos()) {
        holdAll();
        wakeAll(nanos);
      }
      return nanos;
    }

    /**
     * Sends a fetch on each connection and waits until the broker holds all of them and is quiet.
     */
    private void holdAll() throws IOException, InterruptedException {
      client.connections().forEach(connection -> client.fetch(connection, WAIT));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (broker.held() < held) {
        if (System.nanoTime() - deadline > 0) {
          throw new IOException("the broker holds " + broker.held() + " of " + held + " fetches");
        }
        client.poll(1, HeldMeasurement::refuse);
      }
      Thread.sleep(QUIET_MILLIS);
    }

    private void wakeAll(Histogram nanos) throws IOException, InterruptedException {
      long sent = System.nanoTime();
      Future<RecordMetadata> written = write(producer, topic);
      client.awaitAnswers((connection, now) -> nanos.recordValue(now - sent));
      await(written);
    }

    private void addEach(String metric, long bytes) {
      add(metric, "bytes", bytes / (double) held);
    }

    private void add(String metric, String unit, double value) {
      Map<String, String> params = Map.of("held", Integer.toString(held));
      samples.add(new Sample(params, metric, unit, false, value));
    }
  }

  private static void refuse(FetchConnection connection, long nanos) {
    throw new IllegalStateException("a fetch was answered before there was anything to read");
  }
}
