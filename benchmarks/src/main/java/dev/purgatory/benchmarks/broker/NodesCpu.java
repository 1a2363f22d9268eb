package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.measure.Sample;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The processor time that nodes have used. Compilers are busy long after a JVM has started, and for
 * more code longer, so theirs is counted apart.
 *
 * @param others the time of all threads but the compilers
 * @param compilers the time of the just-in-time compilers
 */
record NodesCpu(Duration others, Duration compilers) {

  NodesCpu minus(NodesCpu before) {
    return new NodesCpu(others.minus(before.others), compilers.minus(before.compilers));
  }

  /** Returns what each of this many requests has cost. */
  List<Sample> perRequest(Map<String, String> params, long requests) {
    return List.of(
        sample(params, "CPU per request", others, requests),
        sample(params, "CPU of compilers per request", compilers, requests));
  }

  private static Sample sample(
      Map<String, String> params, String metric, Duration time, long requests) {
    return new Sample(params, metric, "ns", false, time.toNanos() / (double) requests);
  }
}
