package dev.purgatory.benchmarks.answers;

import dev.purgatory.Scope;
import dev.purgatory.answers.Completion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;

/**
 * Answers as services write them by hand on Spring for Apache Kafka, and as its template for
 * request and reply handles a shared topic of replies: each instance reads all answers with a group
 * of its own, from the end, completes the futures that it has in a map, and ignores answers that
 * nobody awaits there.
 */
final class ByHand implements Answers, ConsumerAwareRebalanceListener {
  private final Map<String, List<CompletableFuture<String>>> awaited = new ConcurrentHashMap<>();
  private final CountDownLatch reading = new CountDownLatch(1);
  private final KafkaTemplate<String, String> template;

  ByHand(Map<String, Object> config, String topic) throws InterruptedException {
    Map<String, Object> writer = new HashMap<>(config);
    writer.putAll(Map.of("acks", "all", "delivery.timeout.ms", 15_000, "max.block.ms", 5_000));
    writer.put("key.serializer", StringSerializer.class);
    writer.put("value.serializer", StringSerializer.class);
    template = new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(writer));
    template.setDefaultTopic(topic);
    Map<String, Object> reader = new HashMap<>(config);
    reader.put("group.id", "instance-" + UUID.randomUUID());
    reader.put("auto.offset.reset", "latest");
    reader.put("key.deserializer", StringDeserializer.class);
    reader.put("value.deserializer", StringDeserializer.class);
    ContainerProperties properties = new ContainerProperties(topic);
    properties.setSyncCommits(false); // or answers wait for them
    properties.setConsumerRebalanceListener(this);
    properties.setMessageListener((MessageListener<String, String>) this::deliver);
    new KafkaMessageListenerContainer<>(new DefaultKafkaConsumerFactory<>(reader), properties)
        .start();
    reading.await(); // or an instance misses what comes when it has started
  }

  /** By now, the container has its positions, so that it misses nothing from here on. */
  @Override
  public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> assigned) {
    reading.countDown();
  }

  private void deliver(ConsumerRecord<String, String> answer) {
    List<CompletableFuture<String>> waiting = awaited.remove(answer.key());
    if (waiting != null) {
      waiting.forEach(future -> future.complete(answer.value()));
    }
  }

  @Override
  public String newId() {
    return UUID.randomUUID().toString();
  }

  @Override
  public CompletableFuture<String> await(String id, Duration timeout, Scope client) {
    CompletableFuture<String> future = new CompletableFuture<>();
    awaited.compute(
        id,
        (k, others) -> {
          List<CompletableFuture<String>> all = others == null ? new ArrayList<>() : others;
          all.add(future);
          return all;
        });
    return future
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (answer, error) ->
                awaited.computeIfPresent(
                    id, (k, all) -> all.removeIf(f -> f == future) && all.isEmpty() ? null : all));
  }

  @Override
  public CompletableFuture<Completion<String>> complete(String id, String answer) {
    return template.sendDefault(id, answer).thenApply(sent -> new Completion<>(true, answer));
  }
}
