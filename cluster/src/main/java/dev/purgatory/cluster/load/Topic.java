package dev.purgatory.cluster.load;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;

/**
 * An existing topic.
 *
 * @param name the name
 * @param id the id, which fetches refer to
 * @param partitions the number of partitions
 */
public record Topic(String name, Uuid id, int partitions) {
  private static final int PATIENCE_SECONDS = 60;
  private static final int PAUSE_MILLIS = 100;

  /**
   * Creates a topic and waits until all partitions have a leader.
   *
   * @param bootstrap the address of the cluster
   * @param name the name of the topic
   * @param partitions the number of partitions
   * @param replicas the number of replicas of each partition; all but one of several must be in
   *     sync
   * @throws LoadFailure if the topic cannot be created
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static Topic create(String bootstrap, String name, int partitions, int replicas)
      throws InterruptedException {
    NewTopic topic = new NewTopic(name, partitions, (short) replicas);
    topic.configs(Map.of("min.insync.replicas", Integer.toString(Math.max(1, replicas - 1))));
    try (Admin admin =
        Admin.create(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
      CreateTopicsResult created = admin.createTopics(List.of(topic));
      Uuid id = created.topicId(name).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      awaitLeaders(admin, latest(name, partitions));
      return new Topic(name, id, partitions);
    } catch (ExecutionException | TimeoutException e) {
      throw new LoadFailure("cannot create topic " + name + ": " + e.getMessage(), e);
    }
  }

  /** Requests offsets, which only leaders answer. Retries, since nodes learn of the topic late. */
  private static void awaitLeaders(Admin admin, Map<TopicPartition, OffsetSpec> partitions)
      throws ExecutionException, TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try {
        admin.listOffsets(partitions).all().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof RetriableException) || System.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private static Map<TopicPartition, OffsetSpec> latest(String name, int partitions) {
    return IntStream.range(0, partitions)
        .mapToObj(number -> new TopicPartition(name, number))
        .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
  }
}
