package dev.purgatory.benchmarks.answers;

import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.SharedReplies;
import dev.purgatory.answers.SoakStores;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What an instance of the service needs: see {@link SharedReplies}. */
interface Answers {
  String newId();

  /** Fails with a {@code TimeoutException} if there is no answer in time. */
  CompletableFuture<String> await(String id, Duration timeout, Scope client);

  CompletableFuture<Completion<String>> complete(String id, String answer);

  /** Gives an answer without asking whether it is the first. */
  default CompletableFuture<Void> offer(String id, String answer) {
    return complete(id, answer).thenAccept(completion -> {});
  }

  /** Gives an answer in a table without a key. */
  default CompletableFuture<Completion<String>> completeWeak(String id, String answer) {
    throw new UnsupportedOperationException();
  }

  /**
   * Answers over {@link SharedReplies} and Kafka.
   *
   * @param aheadMillis how far the clock of the instance is ahead
   */
  static Answers shared(Map<String, Object> config, String topic, long aheadMillis) {
    Map<String, Object> all = new HashMap<>(config);
    all.put("delivery.timeout.ms", 15_000);
    all.put("max.block.ms", 5_000);
    AnswerStore store = SoakStores.open(all, topic, aheadMillis);
    Function<String, byte[]> encode = text -> text.getBytes(StandardCharsets.UTF_8);
    Function<byte[], String> decode = bytes -> new String(bytes, StandardCharsets.UTF_8);
    SharedReplies<String> replies =
        new SharedReplies<>(
            "soak",
            encode.apply("a secret of the service"),
            Purgatory.builder("soak", String.class).build(),
            store,
            encode,
            decode);
    SharedReplies<String> weak = new SharedReplies<>("weak", store, encode, decode);
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

      @Override
      public CompletableFuture<Void> offer(String id, String answer) {
        return replies.offer(id, answer);
      }

      @Override
      public CompletableFuture<Completion<String>> completeWeak(String id, String answer) {
        return weak.complete(id, answer);
      }
    };
  }
}
