package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What {@link SharedReplies} do about a store that fails. */
class SharedRepliesTest {
  private final CompletableFuture<Completion<byte[]>> completion = new CompletableFuture<>();
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
          return new CompletableFuture<>();
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
      CompletableFuture<Completion<String>> given = replies.complete("id", "yes");
      CompletableFuture<String> told =
          given.handle((result, error) -> Thread.currentThread().getName());
      AnswerStoreException failure = new AnswerStoreException("thrown by a test", null);
      completion.completeExceptionally(failure);
      assertThat(get(told)).startsWith("purgatory-shared-replies-");
      assertThatThrownBy(() -> get(given)).hasCause(failure);
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
