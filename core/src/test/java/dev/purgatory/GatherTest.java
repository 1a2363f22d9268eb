package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replies to a request that was sent to several receivers. */
class GatherTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Set<Integer> THREE = new LinkedHashSet<>(List.of(3, 1, 2));

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<LateReply<Integer, String>> late = new ArrayList<>();
  private final Replies<Integer, String> replies =
      new Replies<Integer, String>(
              Purgatory.builder("rpc").timer(timer).expirationExecutor(Runnable::run))
          .rememberEnded(LIMIT, 1_000, late::add);

  @AfterEach
  void nothingIsLeft() {
    assertThat(replies.pending()).isZero();
    replies.close();
    assertThat(timer.size()).isZero();
  }

  private void passLimit() {
    ticker.advance(LIMIT);
    timer.advance();
  }

  @Test
  void enoughReplies_end_andTheOthersAreLate() {
    CompletableFuture<Gathered<Integer, String>> two = replies.gather(THREE, 2, LIMIT);
    assertThat(replies.pending()).isEqualTo(3);
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(replies.complete(2, "again")).isFalse();
    assertThat(two).isNotDone();
    assertThat(replies.complete(3, "three")).isTrue();
    Gathered<Integer, String> gathered = two.join();
    assertThat(gathered.isEnough()).isTrue();
    assertThat(gathered.replies()).containsExactly(entry(3, "three"), entry(2, "two"));
    assertThat(gathered.failures()).isEmpty();
    assertThat(replies.complete(1, "one")).isFalse();
    assertThat(late).containsExactly(new LateReply<>(1, "one", Outcome.CANCELLED, Duration.ZERO));
  }

  @Test
  void ids_canBeUsedAgain_byWhatDependsOnTheResult() {
    CompletableFuture<Gathered<Integer, String>> again =
        replies.gather(THREE, 1, LIMIT).thenCompose(first -> replies.gather(THREE, 1, LIMIT));
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(replies.pending()).isEqualTo(3);
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(again.join().replies()).containsOnly(entry(2, "two"));
  }

  @Test
  void failures_endIt_whenTooFewAreLeft() {
    CompletableFuture<Gathered<Integer, String>> two = replies.gather(THREE, 2, LIMIT);
    IOException refused = new IOException("refused");
    assertThat(replies.fail(1, refused)).isTrue();
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(two).isNotDone();
    assertThat(replies.fail(3, refused)).isTrue();
    assertThat(two.join().isEnough()).isFalse();
    assertThat(two.join().replies()).containsOnly(entry(2, "two"));
    assertThat(two.join().failures()).containsExactly(entry(3, refused), entry(1, refused));
  }

  @Test
  void aFailure_isBearable_whenEnoughReply() {
    CompletableFuture<Gathered<Integer, String>> two = replies.gather(THREE, 2, LIMIT);
    assertThat(replies.fail(1, new IOException())).isTrue();
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(replies.complete(3, "three")).isTrue();
    assertThat(two.join().isEnough()).isTrue();
    assertThat(two.join().failures()).containsOnlyKeys(1);
  }

  @Test
  void timeout_givesWhatHasCome() {
    CompletableFuture<Gathered<Integer, String>> all = replies.gather(THREE, 3, LIMIT);
    assertThat(replies.complete(1, "one")).isTrue();
    ticker.advance(LIMIT.minusMillis(1));
    timer.advance();
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(all).isNotDone();
    ticker.advance(Duration.ofMillis(1));
    timer.advance();
    assertThat(all.join().isEnough()).isFalse();
    assertThat(all.join().replies()).containsExactly(entry(1, "one"), entry(2, "two"));
    assertThat(all.join().failures().get(3)).isInstanceOf(TimeoutException.class);
    assertThat(replies.complete(3, "three")).isFalse();
    assertThat(late).extracting(LateReply::outcome).containsExactly(Outcome.TIMED_OUT);
  }

  @Test
  void nobodyReplies_allTimeOut() {
    CompletableFuture<Gathered<Integer, String>> one = replies.gather(THREE, 1, LIMIT);
    passLimit();
    assertThat(one.join().isEnough()).isFalse();
    assertThat(one.join().replies()).isEmpty();
    assertThat(one.join().failures()).containsOnlyKeys(1, 2, 3);
  }

  @Test
  void earlyReplies_count() {
    CompletableFuture<Gathered<Integer, String>> two;
    try (Replies<Integer, String> table =
        new Replies<Integer, String>("early", timer).keepEarly(LIMIT, 10)) {
      assertThat(table.complete(1, "one")).isTrue();
      assertThat(table.complete(3, "three")).isTrue();
      two = table.gather(THREE, 2, LIMIT);
      assertThat(two.join().replies()).containsOnlyKeys(3, 1);
      assertThat(table.pending()).isZero();
    }
  }

  @Test
  void cancelling_closingAScope_andClosing_endTheWaits() {
    assertThat(replies.gather(THREE, 2, LIMIT).cancel(false)).isTrue();
    assertThat(replies.pending()).isZero();

    Scope connection = Scope.of("connection");
    CompletableFuture<Gathered<Integer, String>> two = replies.gather(THREE, 2, LIMIT, connection);
    connection.fail(new IOException("connection lost"));
    assertThat(two.join().isEnough()).isFalse();
    assertThat(two.join().failures().values())
        .allSatisfy(e -> assertThat(e).hasMessage("connection lost"));

    two = replies.gather(THREE, 2, LIMIT);
    replies.close();
    assertThat(two.join().failures().values())
        .hasSizeGreaterThanOrEqualTo(2)
        .allSatisfy(e -> assertThat(e).isInstanceOf(PurgatoryClosedException.class));
  }

  @Test
  void idThatIsAwaited_refusesAll_andTheFirstWaitStays() {
    HeldFuture<String> first = replies.expect(2, LIMIT);
    assertThatThrownBy(() -> replies.gather(THREE, 2, LIMIT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rpc: 2 is awaited already");
    assertThat(replies.pending()).isEqualTo(1);
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(first).isCompletedWithValue("two");
  }

  /** An id that throws on demand. */
  private static final class BrittleId {
    private boolean broken;

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      if (broken) {
        throw new IllegalStateException("broken");
      }
      return 1;
    }
  }

  @Test
  void idThatThrows_failsTheResult_andEndsTheWaits() {
    try (Replies<BrittleId, String> brittle = new Replies<>("brittle", timer)) {
      List<BrittleId> ids = List.of(new BrittleId(), new BrittleId(), new BrittleId());
      var gathered = brittle.gather(new LinkedHashSet<>(ids), 2, LIMIT);
      assertThat(brittle.complete(ids.get(0), "x")).isTrue();
      ids.get(0).broken = true;
      assertThat(brittle.complete(ids.get(1), "y")).isTrue();
      assertThat(gathered).isCompletedExceptionally();
      assertThatThrownBy(gathered::join).hasRootCauseMessage("broken");
      assertThat(brittle.pending()).isZero();
    }
  }

  @Test
  void arguments_areChecked() {
    for (int enough : new int[] {0, 4}) {
      assertThatThrownBy(() -> replies.gather(THREE, enough, LIMIT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(enough + " of 3 replies");
    }
    assertThatThrownBy(() -> replies.gather(Set.of(), 1, LIMIT))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> replies.gather(THREE, 1, Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(replies.pending()).isZero();
  }

  @Test
  void repliesAndFailuresThatMeet_endItOnce() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < 2_000; i++) {
        CompletableFuture<Gathered<Integer, String>> two =
            replies.gather(Set.of(1, 2, 3, 4), 2, LIMIT);
        Future<Integer> failed =
            other.submit(
                () ->
                    IntStream.of(1, 2, 3)
                        .map(id -> replies.fail(id, new IOException()) ? 1 : 0)
                        .sum());
        int replied = IntStream.of(4, 3, 2, 1).map(id -> replies.complete(id, "yes") ? 1 : 0).sum();
        int failures = failed.get(60, TimeUnit.SECONDS);
        Gathered<Integer, String> gathered = two.get(60, TimeUnit.SECONDS);
        assertThat(gathered.isEnough()).isEqualTo(gathered.replies().size() >= 2);
        assertThat(gathered.replies().size()).isLessThanOrEqualTo(replied);
        assertThat(gathered.failures().size()).isLessThanOrEqualTo(failures);
        assertThat(gathered.isEnough() || gathered.failures().size() >= 3).isTrue();
      }
    } finally {
      other.shutdownNow();
    }
  }
}
