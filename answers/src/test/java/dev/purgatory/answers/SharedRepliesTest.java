package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What {@link SharedReplies} do about ids, a store that fails and foreign code. */
class SharedRepliesTest {
  private final CompletableFuture<Completion<byte[]>> completion = new CompletableFuture<>();
  private final Queue<CompletableFuture<byte[]>> followers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger encoded = new AtomicInteger();

  /** Decides when the test says so. */
  private final AnswerStore store =
      new AnswerStore() {
        @Override
        public String newId() {
          return "id";
        }

        @Override
        public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
          return completion;
        }

        @Override
        public CompletableFuture<byte[]> follow(String id) {
          CompletableFuture<byte[]> follower = new CompletableFuture<>();
          followers.add(follower);
          return follower;
        }

        @Override
        public void close() {}
      };

  private SharedReplies<String> open() {
    return new SharedReplies<>(
        "test",
        store,
        text -> {
          encoded.incrementAndGet();
          return text.getBytes(UTF_8);
        },
        bytes -> new String(bytes, UTF_8));
  }

  /** Its dependents may give the answer again, and block until the store has decided. */
  @Test
  void answerThatFails_isToldOnAThreadOfTheTable() throws Exception {
    try (SharedReplies<String> replies = open()) {
      CompletableFuture<Completion<String>> given = replies.complete(replies.newId(), "yes");
      CompletableFuture<String> told =
          given.handle((result, error) -> Thread.currentThread().getName());
      AnswerStoreException failure = new AnswerStoreException("thrown by a test", null);
      completion.completeExceptionally(failure);
      assertThat(get(told)).isEqualTo("purgatory-shared-replies");
      assertThatThrownBy(() -> get(given)).hasCause(failure);
    }
  }

  private SharedReplies<String> open(Function<byte[], String> decode) {
    return new SharedReplies<>("test", store, text -> text.getBytes(UTF_8), decode);
  }

  private SharedReplies<String> open(byte[] key) {
    return new SharedReplies<>(
        "test",
        key,
        Purgatory.builder("waits", String.class).build(),
        store,
        text -> text.getBytes(UTF_8),
        bytes -> new String(bytes, UTF_8));
  }

  @Test
  void idOfATableWithAKey_cannotBeForged() {
    byte[] secret = "0123456789abcdef".getBytes(UTF_8);
    byte[] guessed = "0123456789abcdeF".getBytes(UTF_8);
    try (SharedReplies<String> replies = open(secret);
        SharedReplies<String> other = open(secret);
        SharedReplies<String> attacker = open(guessed);
        SharedReplies<String> withoutAKey = open()) {
      for (String id : List.of(replies.newId(), replies.ownId("7"))) {
        assertThat(other.await(id, Duration.ofMinutes(1))).isNotDone();
      }
      for (SharedReplies<String> each : List.of(attacker, withoutAKey)) {
        for (String id : List.of(each.newId(), each.ownId("7"))) {
          assertThatThrownBy(() -> replies.complete(id, "yes"))
              .isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> replies.await(id, Duration.ofMinutes(1)))
              .isInstanceOf(IllegalArgumentException.class);
        }
      }
      assertThat(replies.pending()).isZero();
    }
    assertThatThrownBy(() -> open(new byte[15]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a key has at least 16 bytes, not 15");
  }

  @Test
  void messageAboutAForeignId_isBounded_andOnOneLine() {
    try (SharedReplies<String> replies = open()) {
      String id = "\n2026 ERROR forged\u001b[2J" + "x".repeat(1_000_000);
      assertThatThrownBy(() -> replies.complete(id, "yes"))
          .isInstanceOf(IllegalArgumentException.class)
          .message()
          .matches("[ -~…]{1,500}")
          .contains("\\u000a2026 ERROR forged\\u001b[2Jx");
    }
  }

  /** An interrupt of one answer would close the file that the next one reads. */
  @Test
  void interruptThatADecoderLeaves_reachesNoDependent() throws Exception {
    try (SharedReplies<String> replies =
        open(
            bytes -> {
              Thread.currentThread().interrupt();
              return new String(bytes, UTF_8);
            })) {
      for (int i = 0; i < 50; i++) {
        CompletableFuture<Boolean> interrupted =
            replies
                .await(replies.newId(), Duration.ofMinutes(1))
                .thenApply(answer -> Thread.currentThread().isInterrupted());
        followers.remove().complete("yes".getBytes(UTF_8));
        assertThat(get(interrupted)).isFalse();
      }
    }
  }

  /** If they did, an answer would be handled on behalf of another user. */
  @Test
  void threads_inheritNoThreadLocalsOfACaller() throws Exception {
    InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    try (SharedReplies<String> replies =
        open(
            bytes -> {
              seen.add("decoder " + user.get());
              return new String(bytes, UTF_8);
            })) {
      List<CompletableFuture<Void>> waits = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waits.add(
            replies
                .await(replies.newId(), Duration.ofMinutes(1))
                .thenAccept(answer -> seen.add("dependent " + user.get())));
      }
      user.set("alice"); // whose call makes the threads
      followers.forEach(each -> each.complete("yes".getBytes(UTF_8)));
      for (CompletableFuture<Void> each : waits) {
        Void unused = get(each);
      }
      assertThat(seen).hasSize(40).containsOnly("decoder null", "dependent null");
    } finally {
      user.remove();
    }
  }

  @Test
  void idThatIsNotValid_isRefusedBeforeItsAnswerIsEncoded() {
    try (SharedReplies<String> replies = open()) {
      assertThatThrownBy(() -> replies.complete("not valid", "yes"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(encoded).hasValue(0);
    }
  }
}
