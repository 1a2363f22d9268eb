package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.cluster.load.FetchClient;
import dev.purgatory.cluster.load.Topic;
import dev.purgatory.cluster.probe.NodeProbe;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures what a broker retains of long polls that have ended. Consumers poll many partitions to
 * which nobody writes, and disconnect. The result does not depend on the speed of the machine: a
 * sample is taken after a number of polls, not after a time.
 *
 * @param consumers the number of consumers
 * @param partitions the number of partitions that each consumer reads, the same for all
 * @param busySteps the number of steps in which each consumer polls twice
 * @param quietSteps the number of steps of two seconds after the consumers have disconnected
 */
record RetainedMeasurement(int consumers, int partitions, int busySteps, int quietSteps)
    implements BrokerMeasurement {
  private static final int POLLS_PER_STEP = 2;
  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** The default of Kafka's consumers and followers. */
  private static final Duration WAIT = Duration.ofMillis(500);

  private static final Duration EXPECTED_STEP = Duration.ofSeconds(3);
  private static final Duration TO_CREATE_PARTITIONS = Duration.ofSeconds(20);

  /**
   * Returns a measurement in which stock Kafka purges its lists once. It then retains what ended
   * since.
   */
  static RetainedMeasurement usual() {
    return new RetainedMeasurement(40, 1_000, 24, 8);
  }

  /** Returns the expected duration. */
  Duration expected() {
    return EXPECTED_STEP.multipliedBy(busySteps + quietSteps).plus(TO_CREATE_PARTITIONS);
  }

  @Override
  public List<Sample> run(TestCluster cluster) throws IOException, InterruptedException {
    Topic topic = Topic.create(cluster.bootstrap(), "quiet", partitions, 1);
    List<Sample> samples = new ArrayList<>();
    try (FetchClient client = new FetchClient(cluster.address())) {
      client.connect(consumers, topic, partitions);
      client.fetchOnce(Duration.ZERO);
      client.fetchOnce(Duration.ZERO);
      sample(cluster.probe(), 0, samples);
      for (int step = 1; step <= busySteps; step++) {
        poll(client);
        sample(cluster.probe(), step, samples);
      }
    }
    for (int step = busySteps + 1; step <= busySteps + quietSteps; step++) {
      Thread.sleep(PAUSE.toMillis());
      sample(cluster.probe(), step, samples);
    }
    return samples;
  }

  private static void poll(FetchClient client) throws IOException {
    for (int i = 0; i < POLLS_PER_STEP; i++) {
      client.fetchOnce(WAIT);
    }
  }

  /** Measures the broker while it holds no poll. */
  private void sample(NodeProbe broker, int step, List<Sample> samples) throws IOException {
    Map<String, String> params = new LinkedHashMap<>();
    params.put("consumers", Integer.toString(consumers));
    params.put("partitions", Integer.toString(partitions));
    params.put("step", Integer.toString(step));
    double heap = (double) broker.liveBytes();
    double reachable = (double) broker.retained();
    samples.add(new Sample(params, "heap after a collection", "bytes", false, heap));
    samples.add(new Sample(params, "ended polls still reachable", "polls", false, reachable));
  }
}
