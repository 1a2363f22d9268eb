package dev.purgatory.examples.byhand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/** Tests the hand-written programs that the docs compare with. */
class ByHandTest {

  @Test
  void longPoll() {
    LongPollByHand server = new LongPollByHand();
    CompletableFuture<List<String>> poll = server.poll("t", 0);
    CompletableFuture<List<String>> cancelled = server.poll("t", 0);
    assertThat(cancelled.cancel(false)).isTrue();
    server.append("t", "hello");
    assertThat(poll).isCompletedWithValue(List.of("hello"));
    assertThat(server.poll("t", 0)).isCompletedWithValue(List.of("hello"));
    assertThat(server.pending()).isZero();
  }

  @Test
  void awaitReply() {
    AwaitReplyByHand client = new AwaitReplyByHand((id, request) -> {});
    CompletableFuture<String> first = client.call("one");
    CompletableFuture<String> second = client.call("two");
    client.onReply(1, "eins");
    client.onReply(1, "again");
    client.onDisconnect(new IOException("connection lost"));
    assertThat(first).isCompletedWithValue("eins");
    assertThatThrownBy(second::join).hasRootCauseMessage("connection lost");
    assertThat(client.pending()).isZero();
  }

  @Test
  void awaitReply_sendFails_failsTheCall() {
    AwaitReplyByHand client =
        new AwaitReplyByHand(
            (id, request) -> {
              throw new IOException("not connected");
            });
    assertThatThrownBy(client.call("one")::join).hasRootCauseMessage("not connected");
  }

  @Test
  void stageTimeout() {
    try (StageTimeoutByHand shop = new StageTimeoutByHand()) {
      assertThat(shop.price(CompletableFuture.completedFuture(90))).isCompletedWithValue(90);
      assertThat(shop.price(new CompletableFuture<>()).join()).isEqualTo(100);
      CompletableFuture<Integer> failed = new CompletableFuture<>();
      failed.completeExceptionally(new IllegalStateException("broken"));
      assertThatThrownBy(shop.price(failed)::join).hasRootCauseMessage("broken");
    }
  }

  @Test
  void readYourWrites() {
    ReadYourWritesByHand follower = new ReadYourWritesByHand();
    CompletableFuture<Long> read = follower.untilApplied("p0", 42);
    follower.onApplied("p0", 41);
    assertThat(read).isNotDone();
    follower.onApplied("p0", 43);
    assertThat(read).isCompletedWithValue(43L);
    assertThat(follower.untilApplied("p0", 1)).isCompletedWithValue(43L);
    assertThat(follower.waiting("p0")).isZero();
  }

  @Test
  void throttledUpload() {
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    try {
      ThrottledUploadByHand server = new ThrottledUploadByHand(scheduler);
      assertThat(server.upload("alice", 1_000)).isCompletedWithValue(1_000L);
      CompletableFuture<Long> next = server.upload("alice", 100);
      CompletableFuture<Long> lost = server.upload("bob", 500_000);
      assertThat(lost).isCompletedWithValue(500_000L);
      CompletableFuture<Long> cancelled = server.upload("bob", 1);
      server.onDisconnect("bob");
      assertThat(cancelled).isCancelled();
      assertThat(next.join()).isEqualTo(100);
    } finally {
      scheduler.shutdownNow();
    }
  }

  @Test
  void sessionRegistry() {
    List<String> told = new ArrayList<>();
    try (SessionRegistryByHand server = new SessionRegistryByHand()) {
      server.onConnect("a", told::add);
      server.onConnect("a", told::add);
      server.onConnect("b", told::add);
      assertThat(server.onHeartbeat("a")).isTrue();
      server.onGoodbye("b");
      server.sweep();
      assertThat(told).hasSize(2);
      assertThat(told.get(0)).startsWith("a TAKEN_OVER");
      assertThat(told.get(1)).startsWith("b CLOSED");
      assertThat(server.onHeartbeat("b")).isFalse();
      assertThat(server.size()).isEqualTo(1);
    }
  }

  @Test
  void sessionRegistry_lostClient_expires() {
    List<String> told = new ArrayList<>();
    try (SessionRegistryByHand server = new SessionRegistryByHand(Duration.ZERO)) {
      server.onConnect("a", told::add);
      server.sweep();
      assertThat(told).hasSize(1);
      assertThat(told.get(0)).startsWith("a EXPIRED");
      assertThat(server.size()).isZero();
    }
  }
}
