package dev.purgatory.cluster.load;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * The topics of a run. Most fetches that are held on busy partitions are completed by events; most
 * of those on quiet partitions expire. All partitions have three replicas, two of which must be in
 * sync.
 */
final class Topics {
  static final String BUSY = "busy";
  static final String QUIET = "quiet";

  static final int BUSY_PARTITIONS = 9;
  static final int QUIET_PARTITIONS = 30;

  private static final int REPLICAS = 3;

  private Topics() {}

  /**
   * Creates both topics.
   *
   * @param bootstrap the address of the cluster
   * @throws LoadFailure if the topics cannot be created
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  static void create(String bootstrap) throws InterruptedException {
    Topic.create(bootstrap, BUSY, BUSY_PARTITIONS, REPLICAS);
    Topic.create(bootstrap, QUIET, QUIET_PARTITIONS, REPLICAS);
  }

  /** Returns all partitions of both topics. */
  static List<TopicPartition> all() {
    List<TopicPartition> all =
        new ArrayList<>(partitions(BUSY, 0, BUSY_PARTITIONS, BUSY_PARTITIONS));
    all.addAll(partitions(QUIET, 0, QUIET_PARTITIONS, QUIET_PARTITIONS));
    return all;
  }

  /**
   * Returns consecutive partitions, beginning at {@code first} and wrapping around at {@code of}.
   */
  static List<TopicPartition> partitions(String topic, int first, int count, int of) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      partitions.add(new TopicPartition(topic, (first + i) % of));
    }
    return partitions;
  }
}
