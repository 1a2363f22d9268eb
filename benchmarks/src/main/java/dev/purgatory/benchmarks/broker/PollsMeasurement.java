package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.cluster.load.FetchClient;
import dev.purgatory.cluster.load.PollLoop;
import dev.purgatory.cluster.load.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures consumers that long-poll quiet partitions, so that the broker does little else than hold
 * requests.
 *
 * @param consumers the number of consumers
 * @param time the duration of the measurement, after a warm-up three times as long
 * @param holds whether polls are held; otherwise, they arrive at the same pace and are answered
 *     immediately
 */
record PollsMeasurement(int consumers, Duration time, boolean holds) implements BrokerMeasurement {
  private static final Duration WAIT = Duration.ofMillis(50);
  private static final int PARTITIONS = 30;
  private static final int PARTITIONS_EACH = 10;

  /** After this warm-up, compilers use little processor time; before, they use a tenth of it. */
  private static final int WARM_UP_TIMES = 3;

  @Override
  public List<Sample> run(TestCluster cluster) throws IOException, InterruptedException {
    Topic topic = Topic.create(cluster.bootstrap(), "quiet", PARTITIONS, 1);
    try (FetchClient client = new FetchClient(cluster.address())) {
      client.connect(consumers, topic, PARTITIONS_EACH);
      PollLoop loop =
          new PollLoop(client, holds ? WAIT : Duration.ZERO, holds ? Duration.ZERO : WAIT);
      loop.run(time.multipliedBy(WARM_UP_TIMES));
      return measure(cluster, loop);
    }
  }

  private List<Sample> measure(TestCluster cluster, PollLoop loop) throws IOException {
    NodesCpu before = cluster.cpu();
    PollLoop.Stats stats = loop.run(time);
    NodesCpu cpu = cluster.cpu().minus(before);
    List<Sample> samples = new ArrayList<>();
    addRates(samples, stats);
    samples.addAll(cpu.perRequest(params(), stats.answers()));
    return samples;
  }

  private void addRates(List<Sample> samples, PollLoop.Stats stats) throws IOException {
    if (stats.answers() == 0) {
      throw new IOException("no poll was answered");
    }
    double seconds = stats.length().toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
    samples.add(sample("requests", "per s", true, stats.answers() / seconds));
    samples.add(sample("late, p50", "ns", (double) stats.lateNanos().getValueAtPercentile(50)));
    samples.add(sample("late, p99", "ns", (double) stats.lateNanos().getValueAtPercentile(99)));
    samples.add(sample("early, most", "ns", (double) stats.earliestNanos()));
  }

  private Sample sample(String metric, String unit, double value) {
    return sample(metric, unit, false, value);
  }

  private Sample sample(String metric, String unit, boolean higherIsBetter, double value) {
    return new Sample(params(), metric, unit, higherIsBetter, value);
  }

  private Map<String, String> params() {
    return Map.of("consumers", Integer.toString(consumers));
  }
}
