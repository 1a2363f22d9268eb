package dev.purgatory.cluster.run;

import dev.purgatory.cluster.load.Features;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.FolderStorage;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.probe.NodeProbe;
import dev.purgatory.cluster.probe.PurgatoryCounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Uses each kind of request that a broker holds, on three undisturbed nodes with the drop-in. At
 * the end, the drop-in must have held requests of each kind, and no write may have expired.
 */
public final class FeaturesRun extends ClusterRun<Map<String, Long>> {
  private static final List<String> PURGATORIES =
      List.of("Fetch", "Produce", "RemoteFetch", "ShareFetch");

  private final KafkaCluster cluster;

  private FeaturesRun(String classPath, Path remoteStorage, Progress progress, Cleanup cleanup) {
    super(
        "features",
        classPath,
        true,
        settings(remoteStorage, cleanup.add(new TemporaryFolder("purgatory-remote-")).path()),
        progress,
        cleanup);
    this.cluster = cleanup.add(KafkaCluster.of(NODES, folder.path(), setup));
  }

  /**
   * Uses all features.
   *
   * @param classPath the class path of the nodes, with the drop-in
   * @param remoteStorage the jar of this module, from which brokers load {@link FolderStorage}
   * @param progress receives the progress
   * @return how many operations each purgatory held, on all nodes
   * @throws NodeFailure if a node does not start, ends, or loses a request
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static Map<String, Long> run(String classPath, Path remoteStorage, Progress progress)
      throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      return new FeaturesRun(classPath, remoteStorage, progress, cleanup).run("");
    }
  }

  private static Map<String, String> settings(Path remoteStorage, Path remoteFolder) {
    return Map.of(
        "remote.log.storage.system.enable",
        "true",
        "remote.log.storage.manager.class.name",
        FolderStorage.class.getName(),
        "remote.log.storage.manager.class.path",
        remoteStorage.toString(),
        "rsm.config." + FolderStorage.FOLDER,
        remoteFolder.toString(),
        "remote.log.metadata.manager.listener.name",
        "PLAINTEXT",
        "rlmm.config.remote.log.metadata.topic.num.partitions",
        "3",
        "remote.log.manager.task.interval.ms",
        "500",
        "log.retention.check.interval.ms",
        "1000");
  }

  @Override
  KafkaCluster cluster() {
    return cluster;
  }

  @Override
  Map<String, Long> measure() throws InterruptedException {
    Features.use(cluster.bootstrap(), progress::say);
    Map<String, Long> held = new TreeMap<>();
    for (KafkaNode node : cluster.nodes()) {
      try (NodeProbe probe = NodeProbe.attach(node.pid())) {
        probe.heldByPurgatory().forEach((name, count) -> held.merge(name, count, Long::sum));
        PurgatoryCounts counts = probe.sample().purgatories();
        if (probe.expiredProduces() > 0) {
          throw new NodeFailure("writes expired that all replicas had", node.config().log());
        }
        if (counts == null || counts.errors() > 0) {
          throw new NodeFailure("callbacks of operations failed", node.config().log());
        }
      } catch (IOException e) {
        throw node.ended();
      }
    }
    held.keySet().retainAll(PURGATORIES);
    if (held.size() < PURGATORIES.size() || held.containsValue(0L)) {
      throw new NodeFailure("the drop-in did not hold requests of each kind: " + held);
    }
    return held;
  }
}
