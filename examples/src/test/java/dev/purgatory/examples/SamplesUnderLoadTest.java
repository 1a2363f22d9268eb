package dev.purgatory.examples;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.session.Session;
import dev.purgatory.throttle.Rate;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** People copy the samples into servers with many threads, so each is right there, too. */
class SamplesUnderLoadTest {
  private static final int ROUNDS = 2_000;

  @Test
  void longPoll_eachReaderGetsAllMessages_inTheirOrder() throws Exception {
    Purgatory<String> polls = Purgatory.builder("test", String.class).build();
    try (LongPoll server = new LongPoll(polls)) {
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
              var unused = server.poll("topic", seen.size()).cancel(false); // a client gives up
              seen.addAll(server.poll("topic", seen.size()).get(20, SECONDS));
            }
            assertThat(seen).doesNotHaveDuplicates().hasSize(2 * ROUNDS);
            assertThat(seen.stream().filter(message -> message.startsWith("0:")))
                .containsExactlyElementsOf(messages(0));
          };
      Hammer.together(writer, writer, reader, reader);
      assertThat(polls.pending()).isZero();
    }
  }

  @Test
  void longPoll_readsWhileMessagesAreAdded() throws Exception {
    try (LongPoll server = new LongPoll()) {
      Hammer.readWhileWriting(server::append, server::poll);
    }
  }

  private static List<String> messages(int thread) {
    List<String> messages = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      messages.add(thread + ":" + i);
    }
    return messages;
  }

  @Test
  void longPollServer_eachReaderGetsAllMessages() throws Exception {
    int messages = 100;
    try (LongPollServer server = new LongPollServer(0, Duration.ofMillis(5))) {
      HttpClient client = HttpClient.newHttpClient();
      String topic = "http://localhost:" + server.port() + "/topics/t";
      Hammer.Work writer =
          thread -> {
            for (int i = 0; i < messages; i++) {
              HttpRequest.BodyPublisher text =
                  HttpRequest.BodyPublishers.ofString(thread + ":" + i);
              HttpRequest post = HttpRequest.newBuilder(URI.create(topic)).POST(text).build();
              assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
                  .isEqualTo(204);
            }
          };
      Hammer.Work reader =
          thread -> {
            List<String> seen = new ArrayList<>();
            while (seen.size() < 2 * messages) {
              URI uri = URI.create(topic + "?after=" + seen.size());
              HttpResponse<String> response =
                  client.send(
                      HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
              assertThat(response.statusCode()).isIn(200, 204);
              seen.addAll(response.body().lines().toList());
            }
            assertThat(seen).doesNotHaveDuplicates().hasSize(2 * messages);
          };
      Hammer.together(writer, writer, reader, reader);
    }
  }

  /** Returns a purgatory in which no time limit passes, however long a thread is stopped. */
  private static <K> Purgatory<K> withoutTime() {
    return Purgatory.<K>builder("test", Object.class)
        .timer(Timer.builder().ticker(() -> 0).build())
        .build();
  }

  private static Replies<Integer, String> repliesWithoutTime() {
    return Replies.<Integer, String>builder("test", Integer.class, String.class)
        .timer(Timer.builder().ticker(() -> 0).build())
        .build();
  }

  @Test
  void awaitReply_eachCallGetsItsReply() throws Exception {
    BlockingQueue<Map.Entry<Integer, String>> sent = new LinkedBlockingQueue<>();
    try (AwaitReply client =
        new AwaitReply((id, request) -> sent.add(Map.entry(id, request)), repliesWithoutTime())) {
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
              client.onReply(request.getKey(), "again");
            }
          };
      Hammer.together(caller, caller, replier, replier);
      assertThat(client.pending()).isZero();
    }
  }

  @Test
  void awaitReply_lostConnection_failsAllCallsThatWait() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    try (AwaitReply client =
        new AwaitReply((id, request) -> sent.incrementAndGet(), repliesWithoutTime())) {
      Hammer.Work caller =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              CompletableFuture<String> reply = client.call("lost");
              client.onDisconnect(new IOException("connection lost"));
              assertThat(reply.handle((none, failure) -> failure.getMessage()))
                  .succeedsWithin(Duration.ofSeconds(20))
                  .isEqualTo("connection lost");
            }
          };
      Hammer.together(caller, caller);
      assertThat(client.pending()).isZero();
      assertThat(sent).hasValue(2 * ROUNDS);
    }
  }

  @Test
  void connections_lostOne_keepsNoRequest() throws Exception {
    Purgatory<String> polls = Purgatory.builder("test", String.class).build();
    try (Connections server = new Connections(polls)) {
      for (int round = 0; round < 100; round++) {
        String key = "key " + round;
        Connections.Connection lost = server.new Connection();
        Queue<HeldFuture<String>> held = new ConcurrentLinkedQueue<>();
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
        assertThat(held)
            .hasSize(40)
            .allMatch(poll -> Set.of(Outcome.COMPLETED, Outcome.FAILED).contains(poll.outcome()));
      }
      assertThat(polls.pending()).isZero();
    }
  }

  @Test
  void connections_takers_getEachValueOnce_alsoIfSomeGiveUp() throws Exception {
    try (Connections server = new Connections(Purgatory.builder("test", String.class).build())) {
      Queue<HeldFuture<String>> takers = new ConcurrentLinkedQueue<>();
      Hammer.Work offering =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              server.offer("queue", thread + ":" + i);
            }
          };
      Hammer.Work taking =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              HeldFuture<String> taker = server.take("queue");
              takers.add(taker);
              if (i % 2 == 0) {
                taker.cancel(false);
              }
            }
          };
      Hammer.together(offering, offering, taking, taking);
      long end = System.nanoTime() + SECONDS.toNanos(20);
      while (taken(takers).size() < 2 * ROUNDS) { // a helper thread may still hand over a value
        assertThat(System.nanoTime()).as("no value is lost").isLessThan(end);
        takers.add(server.take("queue"));
      }
      assertThat(taken(takers)).doesNotHaveDuplicates().hasSize(2 * ROUNDS);
    }
  }

  private static List<String> taken(Queue<HeldFuture<String>> takers) {
    return takers.stream()
        .filter(taker -> taker.isDone() && !taker.isCancelled())
        .map(CompletableFuture::join)
        .toList();
  }

  @Test
  void leaderElection_candidatesGiveUp_andTheOthersLeadOneByOne() throws Exception {
    try (Timer timer = Timer.builder().start("leases")) {
      Purgatory<String> candidates = Purgatory.builder("test", String.class).timer(timer).build();
      LeaderElection election =
          new LeaderElection(candidates, timer, Duration.ofMinutes(1), Runnable::run);
      AtomicInteger leaders = new AtomicInteger();
      Hammer.Work candidate =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              Session<String, String> lease =
                  election.whenLeader("p0", "candidate " + thread).get(20, SECONDS);
              assertThat(leaders.incrementAndGet()).isEqualTo(1);
              leaders.decrementAndGet();
              lease.close();
            }
          };
      Hammer.Work givingUp =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              HeldFuture<Session<String, String>> future = election.whenLeader("p0", "nobody");
              if (!future.cancel(false)) {
                future.join().close();
              }
            }
          };
      Hammer.together(candidate, candidate, givingUp);
      assertThat(candidates.pending()).isZero();
      election.close();
    }
  }

  @Test
  void mailbox_eachMessageReachesItsReader_earlyOrNot() throws Exception {
    try (Timer timer = Timer.builder().start("mailbox");
        Mailbox mailbox = new Mailbox(timer)) {
      Hammer.Work sender =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              assertThat(mailbox.onMessage("" + i, "message " + i)).isTrue();
            }
          };
      Hammer.Work reader =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              assertThat(mailbox.await("" + i, "reader").get(20, SECONDS))
                  .isEqualTo("message " + i);
            }
          };
      Hammer.together(sender, reader);
    }
  }

  @Test
  void quorumAck_eachWriteIsAcknowledged() throws Exception {
    try (QuorumAck cluster = new QuorumAck(Set.of("a", "b", "c"), 2)) {
      Hammer.Work writer =
          thread -> {
            for (int round = 0; round < 100; round++) {
              QuorumAck.Write write = cluster.write(Duration.ofSeconds(20));
              Hammer.together(
                  unused -> write.acknowledgedBy("a"), unused -> write.acknowledgedBy("b"));
              assertThat(write.result().get(20, SECONDS)).isEqualTo(2);
            }
          };
      Hammer.together(writer, writer);
    }
  }

  @Test
  void readYourWrites_eachReadIsAnswered_andNoneTooEarly() throws Exception {
    Purgatory<String> purgatory = withoutTime();
    AtomicLong last = new AtomicLong();
    try (ReadYourWrites follower = new ReadYourWrites(purgatory)) {
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
      assertThat(purgatory.pending()).isZero();
    }
  }

  @Test
  void deferredSignals_eachReaderGetsAllMessages() throws Exception {
    try (DeferredSignals server = new DeferredSignals()) {
      Hammer.Work writer =
          thread -> {
            for (int i = 0; i < ROUNDS / 4; i++) {
              server.append(thread + ":" + i);
            }
          };
      Hammer.Work reader =
          thread -> {
            for (int count = 1; count <= ROUNDS / 2; count++) {
              assertThat(server.read(count).get(20, SECONDS)).hasSize(count);
            }
          };
      Hammer.together(writer, writer, reader, reader);
    }
  }

  @Test
  void sessionRegistry_tellsEachConnectionOnceThatItEnded() throws Exception {
    Queue<AtomicInteger> told = new ConcurrentLinkedQueue<>();
    try (Timer timer = Timer.builder().start("sessions")) {
      SessionRegistry server =
          new SessionRegistry(timer, Duration.ofMillis(2), Runnable::run); // many expire
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
      Hammer.together(client, client, client);
      server.onGoodbye("client");
      assertThat(server.size()).isZero();
      long end = System.nanoTime() + SECONDS.toNanos(20);
      while (told.stream().anyMatch(times -> times.get() == 0)) { // by a helper thread
        assertThat(System.nanoTime()).as("all are told").isLessThan(end);
      }
    }
    assertThat(told).hasSize(3 * ROUNDS).allMatch(times -> times.get() == 1);
  }

  @Test
  void throttledUpload_eachUploadIsReleased_orCancelled() throws Exception {
    Rate rate = new Rate(1_000_000, Duration.ofSeconds(1), 1_000);
    try (ThrottledUpload server = new ThrottledUpload(Timer.builder().start("clock"), rate)) {
      Queue<HeldFuture<Long>> held = new ConcurrentLinkedQueue<>();
      Hammer.Work client =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              held.add(server.upload("client", 10));
            }
          };
      Hammer.Work disconnecting =
          thread -> {
            for (int i = 0; i < ROUNDS; i++) {
              server.onDisconnect("client");
            }
          };
      Hammer.together(client, client, disconnecting);
      for (HeldFuture<Long> upload : held) {
        assertThat(upload.handle((bytes, failure) -> upload.isCancelled() || bytes == 10))
            .succeedsWithin(Duration.ofSeconds(20))
            .isEqualTo(true);
      }
      assertThat(server.waiting("client")).isZero();
    }
  }

  @Test
  void stageTimeout_hasAnAnswer_whetherTheQuoteComesInTimeOrNot() throws Exception {
    try (StageTimeout shop = new StageTimeout()) {
      for (int round = 0; round < 10; round++) {
        CompletableFuture<Integer> quote = new CompletableFuture<>();
        Queue<CompletableFuture<Integer>> prices = new ConcurrentLinkedQueue<>();
        Hammer.Work customer =
            thread -> {
              for (int i = 0; i < ROUNDS / 10; i++) {
                prices.add(shop.price(quote));
              }
            };
        Hammer.together(customer, customer, thread -> quote.complete(90));
        assertThat(prices).hasSize(2 * ROUNDS / 10);
        for (CompletableFuture<Integer> price : prices) {
          assertThat(price.get(20, SECONDS)).isIn(90, 100);
        }
      }
      assertThat(shop.pending()).isZero();
    }
  }

  @Test
  void requestTimeouts_eachCallHasOneAnswer() throws Exception {
    try (Timer timer = Timer.builder().start("timeouts")) {
      Hammer.Work caller =
          thread -> {
            for (int i = 0; i < ROUNDS / 10; i++) {
              RequestTimeouts.Call call =
                  new RequestTimeouts.Call(timer, Duration.ofNanos(i * 10_000L));
              call.onAnswer("42");
              assertThat(call.answer.handle((text, failure) -> text == null ? "late" : text))
                  .succeedsWithin(Duration.ofSeconds(20))
                  .isIn("42", "late");
            }
          };
      Hammer.together(caller, caller, caller);
    }
  }

  @Test
  void idleConnection_whichIsSaidToBeOpen_doesNotCloseBeforeItsTimeout() throws Exception {
    try (Timer timer = Timer.builder().start("idle-connections")) {
      for (int round = 0; round < 5; round++) {
        IdleConnection connection = new IdleConnection(timer, Duration.ofMillis(5));
        Hammer.Work peer =
            thread -> {
              for (int i = 0; i < ROUNDS; i++) {
                boolean closed = connection.closed.isDone();
                assertThat(closed && connection.onMessage()).isFalse();
                connection.onMessage();
              }
            };
        Hammer.together(peer, peer);
        assertThat(connection.closed).succeedsWithin(Duration.ofSeconds(20));
        assertThat(connection.onMessage()).isFalse();
      }
    }
  }

  @Test
  void diagnosed_reportsWhileRequestsComeAndGo() throws Exception {
    try (Diagnosed server = new Diagnosed()) {
      Hammer.Work reader =
          thread -> {
            for (int i = 0; i < ROUNDS / 4; i++) {
              assertThat(server.poll("key " + i, Duration.ofSeconds(20)).get(20, SECONDS))
                  .isEqualTo("value");
            }
          };
      Hammer.Work writer =
          thread -> {
            for (int i = 0; i < ROUNDS / 4; i++) {
              server.put("key " + i, "value");
              if (i % 50 == 0) {
                assertThat(server.diagnostics().missedSignals()).isEmpty();
              }
            }
          };
      Hammer.together(reader, reader, writer);
    }
  }
}
