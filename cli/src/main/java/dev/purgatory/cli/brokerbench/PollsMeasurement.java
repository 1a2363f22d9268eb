package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.cli.probe.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Consumers that long-poll quiet partitions: nearly all that the broker does is to hold requests.
 *
 * @param consumers how many
 * @param time how long to measure, after warming up for three times as long
 * @param holds whether polls are held; otherwise they come at the same pace and are answered at
 *     once
 */
record PollsMeasurement(int consumers, Duration time, boolean holds) implements Measurement {
  private static final Duration WAIT = Duration.ofMillis(50);
  private static final int PARTITIONS = 30;
  private static final int PARTITIONS_EACH = 10;

  /** Until compilers take little of the processor: they are a tenth of it before. */
  private static final int WARM_UP_TIMES = 3;

  private static final Duration SAMPLING = Duration.ofMillis(1);

  /** Until the recorder, which starts inside the broker, has started. */
  private static final Duration SETTLING = Duration.ofSeconds(1);

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
    Duration ownBefore = cluster.probe().ownThreadsCpu();
    Duration before = cluster.cpu();
    PollLoop.Stats stats = loop.run(time);
    Duration cpu = cluster.cpu().minus(before);
    Duration ownCpu = cluster.probe().ownThreadsCpu().minus(ownBefore);
    List<Sample> samples = new ArrayList<>();
    addRates(samples, stats);
    samples.add(perRequest("CPU per request", cpu, stats));
    samples.add(perRequest("CPU per request, own threads", ownCpu, stats));
    addShares(samples, profile(cluster, loop));
    return samples;
  }

  /** Apart from the rest, which recording would disturb. */
  private Profile profile(TestCluster cluster, PollLoop loop) throws IOException {
    Recording recording = cluster.probe().record(SAMPLING);
    loop.run(SETTLING.plus(time));
    Path file = cluster.folder().resolve("polls.jfr");
    recording.stop(file);
    return Profile.read(file);
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

  private Sample perRequest(String metric, Duration cpu, PollLoop.Stats stats) {
    return sample(metric, "ns", cpu.toNanos() / (double) stats.answers());
  }

  private void addShares(List<Sample> samples, Profile profile) throws IOException {
    if (profile.samples() == 0) {
      throw new IOException("the recording of the broker has no samples");
    }
    samples.add(sample("CPU samples", "samples", true, profile.samples()));
    samples.add(sample("own share of CPU samples", "%", profile.ownPercent()));
    for (Profile.Part part : Profile.Part.values()) {
      samples.add(sample("own share, " + part.title(), "%", profile.percent(part)));
    }
  }

  private Sample sample(String metric, String unit, double value) {
    return sample(metric, unit, false, value);
  }

  private Sample sample(String metric, String unit, boolean higherIsBetter, double value) {
    Map<String, String> params = Map.of("consumers", Integer.toString(consumers));
    return new Sample(params, metric, unit, higherIsBetter, value);
  }
}
