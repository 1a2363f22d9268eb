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

/** The test completes each look into the database. */
@ExtendWith(PurgatoryExtension.class)
class SharedLooksTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Queue<CompletableFuture<@Nullable String>> looks = new ArrayDeque<>();
  private SharedLooks receipts;

  @BeforeEach
  void start(VirtualTime time) {
    receipts = new SharedLooks(time.purgatory("receipts", String.class), this::look);
  }

  private CompletableFuture<@Nullable String> look(String order) {
    CompletableFuture<@Nullable String> look = new CompletableFuture<>();
    looks.add(look);
    return look;
  }

  @Test
  void equalRequests_shareEachLook_andHaveTheirOwnEnds(VirtualTime time) {
    HeldFuture<String> cancelled = receipts.receipt("order", LIMIT);
    HeldFuture<String> impatient = receipts.receipt("order", LIMIT.dividedBy(2));
    HeldFuture<?>[] others =
        IntStream.range(0, 100)
            .mapToObj(i -> receipts.receipt("order", LIMIT))
            .toArray(HeldFuture<?>[]::new);
    assertThat(looks).hasSize(1);
    assertThat(cancelled.cancel(false)).isTrue();
    looks.remove().complete(null);
    time.advance(LIMIT.dividedBy(2));
    assertThat(impatient.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(looks).isEmpty();

    receipts.onPaid("order");
    assertThat(looks).hasSize(1);
    looks.remove().complete("paid");
    assertThat(others).allSatisfy(each -> assertThat(each.join()).isEqualTo("paid"));
  }

  @Test
  void requestAfterTheEvent_doesNotShareAnEarlierLook(VirtualTime time) {
    HeldFuture<String> before = receipts.receipt("order", LIMIT);
    receipts.onPaid("order");
    HeldFuture<String> after = receipts.receipt("order", LIMIT);
    assertThat(looks).hasSize(2);
    looks.remove().complete(null); // it had begun before the row was there
    assertThat(looks).hasSize(1); // the second one is shared
    looks.remove().complete("paid");
    assertThat(before).isCompletedWithValue("paid");
    assertThat(after).isCompletedWithValue("paid");
  }

  @Test
  void failedLook_failsThoseWhoShareIt_andIsForgotten(VirtualTime time) {
    HeldFuture<String> first = receipts.receipt("order", LIMIT);
    looks.remove().completeExceptionally(new IllegalStateException("thrown by a test"));
    assertThat(first.cause()).hasMessage("thrown by a test");
    HeldFuture<String> second = receipts.receipt("order", LIMIT);
    looks.remove().complete("paid");
    assertThat(second).isCompletedWithValue("paid");
  }
}
