package dev.purgatory.cli.demo;

import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.probe.NodeSample;
import java.time.Duration;

/**
 * What came out of a run.
 *
 * @param name what the run is called
 * @param nodes what all nodes counted in all their lives
 * @param mostWatched the most entries on watch lists that were seen, all nodes together
 * @param cpuUnderLoad processor time of all nodes from the start of the load to its end
 * @param retained operations that were answered but still reachable after the clients were gone
 * @param clients what the clients saw
 */
public record RunResult(
    String name,
    NodeSample nodes,
    long mostWatched,
    Duration cpuUnderLoad,
    long retained,
    LoadStats clients) {}
