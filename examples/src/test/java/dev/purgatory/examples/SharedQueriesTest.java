package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The test completes each query of the database. */
@ExtendWith(PurgatoryExtension.class)
class SharedQueriesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Queue<CompletableFuture<@Nullable String>> queries = new ArrayDeque<>();
  private SharedQueries receipts;

  @BeforeEach
  void start(VirtualTime time) {
    receipts = new SharedQueries(time.purgatory("receipts", String.class), this::query);
  }

  private CompletableFuture<@Nullable String> query(String order) {
    CompletableFuture<@Nullable String> query = new CompletableFuture<>();
    queries.add(query);
    return query;
  }

  @Test
  void equalRequests_shareEachQuery_andHaveTheirOwnEnds(VirtualTime time) {
    HeldFuture<String> cancelled = receipts.receipt("order", LIMIT);
    HeldFuture<String> impatient = receipts.receipt("order", LIMIT.dividedBy(2));
    HeldFuture<?>[] others =
        IntStream.range(0, 100)
            .mapToObj(i -> receipts.receipt("order", LIMIT))
            .toArray(HeldFuture<?>[]::new);
    assertThat(queries).hasSize(1);
    assertThat(cancelled.cancel(false)).isTrue();
    queries.remove().complete(null);
    time.advance(LIMIT.dividedBy(2));
    assertThat(impatient.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(queries).isEmpty();

    receipts.onPaid("order");
    assertThat(queries).hasSize(1);
    queries.remove().complete("paid");
    assertThat(others).allSatisfy(each -> assertThat(each.join()).isEqualTo("paid"));
  }

  @Test
  void requestAfterTheEvent_doesNotShareAnEarlierQuery(VirtualTime time) {
    HeldFuture<String> before = receipts.receipt("order", LIMIT);
    receipts.onPaid("order");
    HeldFuture<String> after = receipts.receipt("order", LIMIT);
    assertThat(queries).hasSize(2);
    queries.remove().complete(null); // it had begun before the row was there
    assertThat(queries).hasSize(1); // the second one is shared
    queries.remove().complete("paid");
    assertThat(before).isCompletedWithValue("paid");
    assertThat(after).isCompletedWithValue("paid");
  }

  @Test
  void failedQuery_failsThoseWhoShareIt_andIsForgotten(VirtualTime time) {
    HeldFuture<String> first = receipts.receipt("order", LIMIT);
    queries.remove().completeExceptionally(new IllegalStateException("thrown by a test"));
    assertThat(first.cause()).hasMessage("thrown by a test");
    HeldFuture<String> second = receipts.receipt("order", LIMIT);
    queries.remove().complete("paid");
    assertThat(second).isCompletedWithValue("paid");
  }
}
