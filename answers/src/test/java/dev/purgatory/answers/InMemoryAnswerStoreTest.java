package dev.purgatory.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InMemoryAnswerStoreTest extends AnswerStoreContract {
  private final AnswerStore shared = new InMemoryAnswerStore(10_000);

  /** Instances share the store; each closes what it has of it. */
  @Override
  AnswerStore open() {
    return new View(shared);
  }

  /** The part of one instance. */
  private static final class View implements AnswerStore {
    private final AnswerStore store;
    private final Followers own = new Followers();
    private boolean closed;

    View(AnswerStore store) {
      this.store = store;
    }

    @Override
    public String newId() {
      return store.newId();
    }

    @Override
    public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
      return closed
          ? CompletableFuture.failedFuture(Followers.closedException())
          : store.complete(id, answer);
    }

    @Override
    public CompletableFuture<byte[]> follow(String id) {
      CompletableFuture<byte[]> follower = own.add(id);
      CompletableFuture<byte[]> answer = store.follow(id);
      var unused = answer.thenAccept(bytes -> own.answer(id, bytes));
      var unusedToo = follower.whenComplete((bytes, error) -> answer.cancel(false));
      return follower;
    }

    @Override
    public void close() {
      closed = true;
      own.close();
    }
  }

  @Test
  void oldestAnswers_areForgotten() throws Exception {
    try (InMemoryAnswerStore store = new InMemoryAnswerStore(2)) {
      for (String id : new String[] {"1", "2", "3"}) {
        get(store.complete(id, new byte[0]));
      }
      assertThat(store.follow("1")).isNotDone();
      assertThat(store.follow("2")).isDone();
      assertThat(store.follow("3")).isDone();
    }
  }

  @Test
  void closedStore_refuses() {
    InMemoryAnswerStore store = new InMemoryAnswerStore(1);
    CompletableFuture<byte[]> follower = store.follow("1");
    store.close();
    assertThat(follower).isCompletedExceptionally();
    assertThat(store.follow("1")).isCompletedExceptionally();
    assertThat(store.complete("1", new byte[0])).isCompletedExceptionally();
  }

  @Test
  void bound_isChecked() {
    assertThatThrownBy(() -> new InMemoryAnswerStore(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
