package dev.purgatory.benchmarks.answers;

import dev.purgatory.Scope;
import dev.purgatory.answers.Completion;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Answers as services write them by hand, and as libraries for request and reply over Kafka handle
 * a shared topic of replies: each instance reads all answers with a group of its own, from the end,
 * completes the futures that it has in a map, and ignores answers that nobody awaits there.
 */
final class ByHand implements Answers {
  private final Map<String, CompletableFuture<String>> awaited = new ConcurrentHashMap<>();
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;
  private final String topic;

  ByHand(Map<String, Object> config, String topic) {
    Map<String, Object> all = new HashMap<>(config);
    all.put("acks", "all");
    all.put("delivery.timeout.ms", 15_000);
    all.put("max.block.ms", 5_000);
    this.producer = new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    Map<String, Object> reading = new HashMap<>(config);
    reading.put("group.id", "instance-" + UUID.randomUUID());
    reading.put("auto.offset.reset", "latest");
    this.consumer =
        new KafkaConsumer<>(reading, new StringDeserializer(), new StringDeserializer());
    this.topic = topic;
    consumer.subscribe(List.of(topic));
    while (consumer
        .assignment()
        .isEmpty()) { // or an instance misses what comes when it has started
      deliver();
    }
    consumer.assignment().forEach(consumer::position);
    new Thread(this::read, "answers").start();
  }

  private void read() {
    while (true) {
      deliver();
    }
  }

  private void deliver() {
    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
      CompletableFuture<String> future = awaited.remove(record.key());
      if (future != null) {
        future.complete(record.value());
      }
    }
  }

  @Override
  public String newId() {
    return UUID.randomUUID().toString();
  }

  @Override
  public CompletableFuture<String> await(String id, Duration timeout, Scope client) {
    return awaited
        .computeIfAbsent(id, absent -> new CompletableFuture<>())
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public CompletableFuture<Completion<String>> complete(String id, String answer) {
    CompletableFuture<Completion<String>> result = new CompletableFuture<>();
    var unused =
        producer.send(
            new ProducerRecord<>(topic, id, answer),
            (metadata, error) -> {
              if (error == null) {
                result.complete(new Completion<>(true, answer));
              } else {
                result.completeExceptionally(error);
              }
            });
    return result;
  }
}
