package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Waits for a row in virtual time; the test completes each look into the database. */
@ExtendWith(PurgatoryExtension.class)
class ReceiptsTest {
  private final Queue<CompletableFuture<@Nullable String>> looks = new ArrayDeque<>();
  private Receipts receipts;

  @BeforeEach
  void start(VirtualTime time) {
    receipts = new Receipts(time.purgatory("receipts", String.class), this::look);
  }

  private CompletableFuture<@Nullable String> look(String order) {
    CompletableFuture<@Nullable String> look = new CompletableFuture<>();
    looks.add(look);
    return look;
  }

  @Test
  void signal_looksOnceMore(VirtualTime time) {
    CompletableFuture<String> receipt = receipts.receipt("order");
    receipts.onPaid("order");
    assertThat(looks).hasSize(1);
    looks.remove().complete(null);
    assertThat(looks).hasSize(1);
    looks.remove().complete("paid");
    assertThat(receipt).isCompletedWithValue("paid");
  }

  @Test
  void whatOthersWrite_isFoundLater(VirtualTime time) {
    CompletableFuture<String> receipt = receipts.receipt("order");
    looks.remove().complete(null);
    time.advance(Duration.ofSeconds(5));
    looks.remove().complete("paid");
    assertThat(receipt).isCompletedWithValue("paid");
  }

  @Test
  void databaseThatHangs_delaysNothing(VirtualTime time) {
    CompletableFuture<String> receipt = time.track(receipts.receipt("order"));
    time.advance(Duration.ofSeconds(30));
    assertThat(receipt).isCompletedWithValue("not paid");
  }
}
