package dev.purgatory.benchmarks.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of all contenders that await replies. */
@ParameterizedClass
@MethodSource("rivals")
class ReplyTableTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final int MANY = 2000;

  private final ReplyTable table;

  ReplyTableTest(Rival<ReplyTable> rival) {
    table = rival.start().get();
  }

  static Stream<Rival<ReplyTable>> rivals() {
    return Lineup.REPLIES.rivals().stream();
  }

  @AfterEach
  void close() {
    table.close();
  }

  @Test
  void completesTheFutureOfItsIdOnce() {
    CompletableFuture<Object> first = table.expect(1L, LONG);
    CompletableFuture<Object> second = table.expect(2L, LONG);
    assertThat(table.pending()).isEqualTo(2);

    assertThat(table.complete(1L, "one")).isTrue();

    assertThat(first).isCompletedWithValue("one");
    assertThat(second).isNotDone();
    assertThat(table.complete(1L, "again")).isFalse();
    assertThat(table.complete(3L, "never awaited")).isFalse();
    assertThat(table.pending()).isEqualTo(1);
  }

  @Test
  void idIsRejectedWhileItIsAwaited() {
    CompletableFuture<Object> first = table.expect(1L, LONG);

    assertThatThrownBy(() -> table.expect(1L, LONG)).isInstanceOf(IllegalStateException.class);
    assertThat(table.complete(1L, "one")).isTrue();
    assertThat(first).isCompletedWithValue("one");
    assertThat(table.expect(1L, LONG)).isNotDone();
  }

  @Test
  void anotherTableHasItsOwnReplies() throws InterruptedException {
    try (ReplyTable other = table.another()) {
      CompletableFuture<Object> ours = table.expect(1L, LONG);
      CompletableFuture<Object> theirs = other.expect(1L, LONG);
      CompletableFuture<Object> lost = other.expect(2L, Duration.ofMillis(20));

      assertThat(other.complete(1L, "theirs")).isTrue();
      assertThat(theirs).isCompletedWithValue("theirs");
      assertThat(ours).isNotDone();
      Eventually.await(() -> lost.isCompletedExceptionally() && other.pending() == 0);
    }
  }

  @Test
  void cancelledFutureIsFreed() {
    assertThat(table.expect(1L, LONG).cancel(false)).isTrue();

    assertThat(table.pending()).isZero();
    assertThat(table.complete(1L, "late")).isFalse();
  }

  @Test
  void lostReplyTimesOutAndIsFreed() throws InterruptedException {
    CompletableFuture<Object> lost = table.expect(1L, Duration.ofMillis(20));
    Eventually.await(() -> lost.isDone() && table.pending() == 0);

    assertThatThrownBy(lost::get).hasCauseInstanceOf(TimeoutException.class);
    assertThat(table.complete(1L, "late")).isFalse();
  }

  @Test
  void eitherReplyOrTimeoutWins() throws InterruptedException {
    List<CompletableFuture<Object>> futures = new ArrayList<>();
    for (long id = 0; id < MANY; id++) {
      futures.add(table.expect(id, Duration.ofMillis(id % 10)));
    }
    long completed = 0;
    for (long id = 0; id < MANY; id++) {
      completed += table.complete(id, "reply") ? 1 : 0;
    }
    Eventually.await(
        () -> futures.stream().allMatch(CompletableFuture::isDone) && table.pending() == 0);

    assertThat(futures.stream().filter(future -> !future.isCompletedExceptionally()).count())
        .isEqualTo(completed);
  }
}
