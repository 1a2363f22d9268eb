package dev.purgatory.benchmarks.answers;

import dev.purgatory.Scope;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.KafkaAnswerStore;
import dev.purgatory.answers.SharedReplies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What an instance of the service needs: see {@link SharedReplies}. */
interface Answers {
  String newId();

  /** Fails with a {@code TimeoutException} if there is no answer in time. */
  CompletableFuture<String> await(String id, Duration timeout, Scope client);

  CompletableFuture<Completion<String>> complete(String id, String answer);

  /** Answers over {@link SharedReplies} and Kafka. */
  static Answers shared(Map<String, Object> config, String topic) {
    Map<String, Object> all = new HashMap<>(config);
    all.put("delivery.timeout.ms", 15_000);
    all.put("max.block.ms", 5_000);
    SharedReplies<String> replies =
        new SharedReplies<>(
            "soak",
            new KafkaAnswerStore(all, topic),
            text -> text.getBytes(StandardCharsets.UTF_8),
            bytes -> new String(bytes, StandardCharsets.UTF_8));
    return new Answers() {
      @Override
      public String newId() {
        return replies.newId();
      }

      @Override
      public CompletableFuture<String> await(String id, Duration timeout, Scope client) {
        return replies.await(id, timeout, client);
      }

      @Override
      public CompletableFuture<Completion<String>> complete(String id, String answer) {
        return replies.complete(id, answer);
      }
    };
  }
}
