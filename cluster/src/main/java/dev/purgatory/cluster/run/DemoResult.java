package dev.purgatory.cluster.run;

import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.probe.NodeSample;
import java.time.Duration;

/**
 * The results of a run.
 *
 * @param name the name of the run
 * @param nodes the counters of all processes of all nodes
 * @param maxWatched the largest number of entries on watch lists in any sample of all nodes
 * @param cpuUnderLoad the processor time of all nodes from the start to the end of the load
 * @param retained the completed operations that were still reachable after the clients had stopped
 * @param clients the statistics of the clients
 */
public record DemoResult(
    String name,
    NodeSample nodes,
    long maxWatched,
    Duration cpuUnderLoad,
    long retained,
    LoadStats clients) {}
