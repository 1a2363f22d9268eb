package dev.purgatory.examples.byhand;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.examples.Hammer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The hand-written programs are right with many threads, too: the comparison is fair. */
class ByHandUnderLoadTest {
  private static final int ROUNDS = 2_000;

  @Test
  void longPoll_eachReaderGetsAllMessages() throws Exception {
    LongPollByHand server = new LongPollByHand();
    Hammer.Work writer =
        thread -> {
          for (int i = 0; i < ROUNDS; i++) {
            server.append("topic", thread + ":" + i);
          }
        };
    Hammer.Work reader =
        thread -> {
          List<String> seen = new ArrayList<>();
          while (seen.size() < 2 * ROUNDS) {
            seen.addAll(server.poll("topic", seen.size()).get(20, SECONDS));
          }
          assertThat(seen).doesNotHaveDuplicates().hasSize(2 * ROUNDS);
        };
    Hammer.together(writer, writer, reader, reader);
    assertThat(server.pending()).isZero();
  }

  @Test
  void longPoll_readsWhileMessagesAreAdded() throws Exception {
    LongPollByHand server = new LongPollByHand();
    Hammer.readWhileWriting(server::append, server::poll);
  }

  @Test
  void awaitReply_eachCallGetsItsReply() throws Exception {
    BlockingQueue<Map.Entry<Integer, String>> sent = new LinkedBlockingQueue<>();
    AwaitReplyByHand client =
        new AwaitReplyByHand((id, request) -> sent.add(Map.entry(id, request)));
    Hammer.Work caller =
        thread -> {
          for (int i = 0; i < ROUNDS; i++) {
            String request = thread + ":" + i;
            assertThat(client.call(request).get(20, SECONDS)).isEqualTo("re " + request);
          }
        };
    Hammer.Work replier =
        thread -> {
          for (int i = 0; i < ROUNDS; i++) {
            Map.Entry<Integer, String> request = sent.take();
            client.onReply(request.getKey(), "re " + request.getValue());
          }
        };
    Hammer.together(caller, caller, replier, replier);
    assertThat(client.pending()).isZero();
  }

  @Test
  void connections_lostOne_keepsNoRequest() throws Exception {
    ConnectionsByHand server = new ConnectionsByHand();
    for (int round = 0; round < 100; round++) {
      String key = "key " + round;
      ConnectionsByHand.Connection lost = server.new Connection();
      Queue<CompletableFuture<String>> held = new ConcurrentLinkedQueue<>();
      Hammer.Work client =
          thread -> {
            for (int i = 0; i < 20; i++) {
              held.add(lost.poll(key));
            }
          };
      Hammer.together(
          client,
          client,
          thread -> lost.onDisconnect(new IOException("reset")),
          thread -> server.put(key, "value"));
      assertThat(held).hasSize(40).allMatch(CompletableFuture::isDone);
    }
    assertThat(server.keys()).isZero();
  }

  @Test
  void readYourWrites_eachReadIsAnswered_andNoneTooEarly() throws Exception {
    ReadYourWritesByHand follower = new ReadYourWritesByHand();
    AtomicLong last = new AtomicLong();
    Hammer.Work applier =
        thread -> {
          for (int i = 0; i < ROUNDS; i++) {
            follower.onApplied("p", last.incrementAndGet());
          }
        };
    Hammer.Work reader =
        thread -> {
          for (long offset = 1; offset <= 2 * ROUNDS; offset++) {
            assertThat(follower.untilApplied("p", offset).get(20, SECONDS))
                .isGreaterThanOrEqualTo(offset);
          }
        };
    Hammer.together(applier, applier, reader, reader);
    assertThat(follower.waiting("p")).isZero();
  }

  @Test
  void stageTimeout_hasAnAnswer_whetherTheQuoteComesInTimeOrNot() throws Exception {
    try (StageTimeoutByHand shop = new StageTimeoutByHand()) {
      CompletableFuture<Integer> quote = new CompletableFuture<>();
      Queue<CompletableFuture<Integer>> prices = new ConcurrentLinkedQueue<>();
      Hammer.Work customer =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              prices.add(shop.price(quote));
            }
          };
      Hammer.together(customer, customer, thread -> quote.complete(90));
      for (CompletableFuture<Integer> price : prices) {
        assertThat(price.get(20, SECONDS)).isIn(90, 100);
      }
    }
  }

  @Test
  void sessionRegistry_tellsEachConnectionOnceThatItEnded() throws Exception {
    Queue<AtomicInteger> told = new ConcurrentLinkedQueue<>();
    try (SessionRegistryByHand server = new SessionRegistryByHand()) {
      Hammer.Work client =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              AtomicInteger times = new AtomicInteger();
              told.add(times);
              server.onConnect("client", why -> times.incrementAndGet());
              server.onHeartbeat("client");
              server.onGoodbye("client");
            }
          };
      Hammer.together(client, client, thread -> server.sweep());
      server.onGoodbye("client");
      assertThat(server.size()).isZero();
    }
    assertThat(told).hasSize(2 * ROUNDS).allMatch(times -> times.get() == 1);
  }

  @Test
  void throttledUpload_eachUploadIsReleased_orCancelled() throws Exception {
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    try {
      ThrottledUploadByHand server = new ThrottledUploadByHand(scheduler);
      Queue<CompletableFuture<Long>> held = new ConcurrentLinkedQueue<>();
      Hammer.Work client =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              held.add(server.upload("client", 1));
            }
          };
      Hammer.Work disconnecting =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              server.onDisconnect("client");
            }
          };
      Hammer.together(client, client, disconnecting);
      server.onDisconnect("client");
      for (CompletableFuture<Long> upload : held) {
        assertThat(upload.handle((bytes, failure) -> upload.isCancelled() || bytes == 1))
            .succeedsWithin(Duration.ofSeconds(20))
            .isEqualTo(true);
      }
    } finally {
      scheduler.shutdownNow();
    }
  }
}
