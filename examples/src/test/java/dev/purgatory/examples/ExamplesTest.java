package dev.purgatory.examples;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.SignalQueue;
import dev.purgatory.session.Session;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.throttle.Rate;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExamplesTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void readYourWrites_runs() {
    assertThat(output(ReadYourWrites::main)).isEqualTo("false\n43\n");
  }

  @Test
  void readYourWrites_quorum_andMove() {
    try (ReadYourWrites follower =
        new ReadYourWrites(Purgatory.builder("test", String.class).build())) {
      CompletableFuture<Map<String, Long>> quorum = follower.untilQuorum(7);
      CompletableFuture<String> read = follower.untilAppliedOrMoved("r3", 9, name -> null);
      follower.onApplied("r1", 7);
      assertThat(quorum).isNotDone();
      follower.onApplied("r3", 9);
      assertThat(quorum).isCompletedWithValue(Map.of("r1", 7L, "r3", 9L));
      assertThat(read).isCompletedWithValue("applied");
      assertThat(follower.untilAppliedOrMoved("r3", 99, name -> "r4"))
          .isCompletedWithValue("moved");
    }
  }

  @Test
  void sessionRegistry_runs() {
    assertPrints(
        SessionRegistry::main,
        "true\nclient-7 TAKEN_OVER\nclient-8 CLOSED\nclient-7 EXPIRED\nfalse\n");
  }

  @Test
  void sessionRegistry_lostClient_isDisconnectedOnce() {
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    List<String> told = new ArrayList<>();
    SessionRegistry server = new SessionRegistry(timer, LONG, Runnable::run);
    server.onConnect("lost", told::add);
    server.onConnect("alive", told::add);
    nanos.addAndGet(LONG.toNanos() - 1);
    timer.advance();
    assertThat(server.onHeartbeat("alive")).isTrue();
    assertThat(told).isEmpty(); // never early
    nanos.addAndGet(1);
    timer.advance();
    assertThat(told).containsExactly("lost EXPIRED, silent for PT30S");
    assertThat(server.onHeartbeat("lost")).isFalse();
    assertThat(server.onHeartbeat("alive")).isTrue();
    server.onGoodbye("lost");
    assertThat(told).hasSize(1);
    assertThat(server.size()).isEqualTo(1);
  }

  @Test
  void sessionRegistry_leader_isReplacedWhenItsLeaseExpires() {
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    SessionRegistry server = new SessionRegistry(timer, LONG, Runnable::run);
    Session<?, ?> leader = requireNonNull(server.becomeLeader("p0", why -> {}));
    assertThat(server.becomeLeader("p0", why -> {})).isNull();
    nanos.addAndGet(LONG.toNanos());
    timer.advance();
    assertThat(leader.isOpen()).isFalse();
    assertThat(server.becomeLeader("p0", why -> {})).isNotNull();
  }

  @Test
  void leaderElection_runs() {
    assertPrints(LeaderElection::main, "a leads\nb leads, and is lost\nc leads\n");
  }

  @Test
  void leaderElection_candidateThatGivesUp_doesNotLead() {
    VirtualTime time = VirtualTime.create();
    Purgatory<String> candidates = time.purgatory("candidates", String.class);
    try (LeaderElection election =
        new LeaderElection(candidates, time.timer(), LONG, Runnable::run)) {
      Session<String, String> first = election.whenLeader("p0", "a").join();
      HeldFuture<Session<String, String>> second = election.whenLeader("p0", "b");
      HeldFuture<Session<String, String>> third = election.whenLeader("p0", "c");
      assertThat(second.cancel(false)).isTrue();
      assertThat(first.touch()).isTrue();
      time.advance(LONG);
      assertThat(third).isCompletedWithValueMatching(lease -> "c".equals(lease.owner()));
      third.join().close();
    }
  }

  @Test
  void gracefulStop_runs() {
    assertThat(output(GracefulStop::main))
        .isEqualTo("1 requests had to be failed\nthe server stops\n[]\npolls is closed\n");
  }

  @Test
  void gracefulStop_waitsForTheAnswers() throws Exception {
    GracefulStop server = new GracefulStop(Purgatory.builder("test", String.class).build(), LONG);
    HeldFuture<String> poll = server.poll("a");
    CompletableFuture<List<Object>> stopped = CompletableFuture.supplyAsync(server::stop);
    HeldFuture<String> probe;
    do { // until it has begun to stop
      probe = server.poll("b");
    } while (probe.cancel(false));
    assertThat(probe.cause()).hasMessage("the server stops");
    server.put("a", "answer");
    assertThat(poll).isCompletedWithValue("answer");
    assertThat(stopped.get(20, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void lateReplies_runs() {
    assertThat(output(LateReplies::main))
        .isEqualTo("1 was late: CANCELLED PT0S before\n1 dropped\n2 dropped\n");
  }

  @Test
  void receipts_runs() {
    assertThat(output(Receipts::main)).isEqualTo("false\npaid by card\n");
  }

  @Test
  void mailbox_runs() {
    assertThat(output(Mailbox::main)).isEqualTo("true early\ntrue in time\n");
  }

  @Test
  void longPoll_runs() {
    assertThat(output(LongPoll::main)).isEqualTo("false\n[hello]\n");
  }

  @Test
  void longPoll_afterTheTimeout_isEmpty() {
    // sample: virtual-time
    VirtualTime time = VirtualTime.create();
    LongPoll server = new LongPoll(time.purgatory("polls", String.class));
    CompletableFuture<List<String>> poll = server.poll("topic", 0);

    time.advance(Duration.ofSeconds(30).minusNanos(1));
    assertThat(poll).isNotDone(); // never early

    time.advance(Duration.ofNanos(1));
    assertThat(poll).isCompletedWithValue(List.of());
    time.assertNothingPending();
    // end
  }

  @Test
  void longPoll_afterTheTimeout_byHand() {
    // sample: virtual-time-by-hand
    AtomicLong nanos = new AtomicLong(); // the test moves the time
    Timer timer = Timer.builder().ticker(nanos::get).build();
    Purgatory<String> polls = Purgatory.builder("test", String.class).timer(timer).build();
    LongPoll server = new LongPoll(polls);
    CompletableFuture<List<String>> poll = server.poll("topic", 0);

    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30) - 1);
    timer.advance();
    assertThat(poll).isNotDone(); // never early

    nanos.addAndGet(1);
    timer.advance();
    assertThat(poll).isCompletedWithValue(List.of());
    assertThat(polls.pending()).isZero();
    // end
  }

  @Test
  void longPoll_slowExecutor_answersLate() {
    // sample: faults
    VirtualTime time = VirtualTime.create();
    Executor slow = time.executor(Duration.ofSeconds(1));
    LongPoll server =
        new LongPoll(time.builder("polls", String.class).expirationExecutor(slow).build());
    CompletableFuture<List<String>> poll = server.poll("topic", 0);

    assertThat(time.advance(Duration.ofMinutes(1)))
        .hasToString("[31s polls: #1 TIMED_OUT, held for 31s, 1s late]");
    // end
    assertThat(poll).isCompletedWithValue(List.of());
  }

  @Test
  void idleConnection_runs() {
    assertThat(output(IdleConnection::main)).isEqualTo("closed\n");
  }

  @Test
  void idleConnection_noMessageInTime_closes() {
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    IdleConnection connection = new IdleConnection(timer, Duration.ofSeconds(30));
    for (int i = 0; i < 10; i++) {
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(29));
      timer.advance();
      assertThat(connection.onMessage()).isTrue();
    }
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30) - 1);
    timer.advance();
    assertThat(connection.closed).isNotDone();
    nanos.addAndGet(1);
    timer.advance();
    assertThat(connection.closed).isDone();
    assertThat(connection.onMessage()).isFalse();
  }

  @Test
  void timer_reconfigured_firesOnTime() {
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    Timeout timeout = timer.schedule(() -> {}, Duration.ofSeconds(30));
    // sample: reconfigure
    timer.reconfigure(Duration.ofMillis(5), 1_024); // for timeouts of some seconds
    // end
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
    assertThat(timer.advance()).isEqualTo(1);
    assertThat(timeout.isPending()).isFalse();
  }

  @Test
  void longPoll_cancelled_isReleased() {
    Purgatory<String> polls = Purgatory.builder("test", String.class).build();
    try (LongPoll server = new LongPoll(polls)) {
      CompletableFuture<List<String>> poll = server.poll("topic", 0);
      assertThat(polls.pending()).isEqualTo(1);
      assertThat(poll.cancel(false)).isTrue();
      assertThat(polls.pending()).isZero();
    }
  }

  @Test
  void awaitReply_runs() {
    assertThat(output(AwaitReply::main)).isEqualTo("eins\nconnection lost\n");
  }

  @Test
  void awaitReply_afterTheTimeout_ignoresTheReply() {
    VirtualTime time = VirtualTime.create();
    AwaitReply client =
        new AwaitReply(
            (id, request) -> {}, time.replies("replies", Integer.class, String.class).build());
    CompletableFuture<String> reply = client.call("one");
    time.advance(Duration.ofSeconds(5));
    client.onReply(1, "too late");
    assertThat(reply)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withRootCauseInstanceOf(TimeoutException.class);
    time.assertNothingPending();
  }

  @Test
  void awaitReply_sendFails_failsTheCall() {
    AwaitReply client =
        new AwaitReply(
            (id, request) -> {
              throw new IOException("not connected");
            });
    assertThatThrownBy(client.call("one")::join).hasRootCauseMessage("not connected");
    assertThat(client.pending()).isZero();
  }

  @Test
  void approvals_run() {
    assertThat(output(Approvals::main)).isEqualTo("waits\nAPPROVED\n");
  }

  @Test
  void approvals_nobodyDecides_expireAfterTenMinutes() {
    VirtualTime time = VirtualTime.create();
    Approvals approvals =
        new Approvals(time.replies("approvals", String.class, Approvals.Decision.class).build());
    CompletableFuture<Approvals.Decision> decision = approvals.ask("delete", "agent 7");
    assertThat(approvals.waiting()).containsExactly("[delete] for agent 7, expires in PT10M");
    time.advance(Duration.ofMinutes(10).minusNanos(1));
    assertThat(decision).isNotDone();
    time.advance(Duration.ofMillis(1));
    assertThat(decision).isCompletedWithValue(Approvals.Decision.EXPIRED);
    assertThat(approvals.decide("delete", Approvals.Decision.APPROVED)).isFalse();
    time.assertNothingPending();
  }

  @Test
  void stageTimeout_runs() {
    assertThat(output(StageTimeout::main)).isEqualTo("90\n100\n");
  }

  @Test
  void quorumAck_completesWhenTheQuorumIsReached() {
    try (QuorumAck cluster = new QuorumAck(Set.of("a", "b", "c"), 2)) {
      QuorumAck.Write write = cluster.write(LONG);
      write.acknowledgedBy("a");
      assertThat(write.result()).isNotDone();
      write.acknowledgedBy("b");
      assertThat(write.result()).isCompletedWithValue(2);
    }
  }

  @Test
  void quorumAck_withoutQuorum_timesOut() {
    try (QuorumAck cluster = new QuorumAck(Set.of("a", "b"), 2)) {
      String message;
      do {
        QuorumAck.Write write = cluster.write(Duration.ofMillis(20));
        write.acknowledgedBy("a");
        message = write.result().handle((acks, failure) -> failure.getMessage()).join();
      } while (message.startsWith("only 0")); // this thread was stopped for longer
      assertThat(message).isEqualTo("only 1 of 2 replicas in time");
    }
  }

  @Test
  void quorumAck_runs() {
    assertPrints(QuorumAck::main, "acknowledged by 2\nonly 1 of 2 replicas in time\n");
  }

  @Test
  void longPollServer_answersWhenAMessageArrives() throws Exception {
    try (LongPollServer server = new LongPollServer(0, LONG)) {
      HttpClient client = HttpClient.newHttpClient();
      CompletableFuture<HttpResponse<String>> poll = get(client, server, 0);
      HttpRequest post =
          HttpRequest.newBuilder(uri(server, 0))
              .POST(HttpRequest.BodyPublishers.ofString("hello"))
              .build();
      assertThat(client.send(post, text()).statusCode()).isEqualTo(204);
      assertThat(poll.get(LONG.toSeconds(), TimeUnit.SECONDS).body()).isEqualTo("hello\n");
    }
  }

  @Test
  void longPollServer_afterTheTimeout_answersEmpty() throws Exception {
    try (LongPollServer server = new LongPollServer(0, Duration.ofMillis(20))) {
      HttpResponse<String> response =
          get(HttpClient.newHttpClient(), server, 0).get(LONG.toSeconds(), TimeUnit.SECONDS);
      assertThat(response.statusCode()).isEqualTo(204);
    }
  }

  @Test
  void requestTimeouts_runs() {
    assertThat(output(RequestTimeouts::main)).isEqualTo("42\nno answer\n");
  }

  @Test
  void throttledUpload_runs() {
    assertPrints(
        ThrottledUpload::main,
        """
        bob: 2 chunks wait
        bob: 0 chunks wait
        bob: cancelled
        alice: 1000 bytes
        """);
  }

  @Test
  void throttledUpload_clientThatDisconnects_givesItsQuotaBack() {
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    try (ThrottledUpload server = new ThrottledUpload(timer, Rate.perSecond(1_000))) {
      assertThat(server.upload("bob", 1_000)).isCompletedWithValue(1_000L);
      CompletableFuture<Long> waiting = server.upload("bob", 800);
      CompletableFuture<String> answer = server.answer("bob", "stored");
      server.onDisconnect("bob");
      assertThat(waiting).isCancelled();
      assertThat(answer).isCompletedExceptionally();
      assertThat(server.waiting("bob")).isZero();
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(server.available("bob")).isEqualTo(1_000 - "stored".length());
      server.onPlanChanged("bob", 100);
      assertThat(server.available("bob")).isEqualTo(200);
      server.onMaintenance();
      assertThat(server.upload("alice", 1)).isNotDone();
    }
  }

  @Test
  void deferredSignals_runs() {
    assertThat(output(DeferredSignals::main)).isEqualTo("false\n[one, two]\n");
  }

  @Test
  void deferredSignals_onAnExecutor_andInWindows() {
    try (Purgatory<String> reads = Purgatory.builder("test", String.class).build()) {
      for (SignalQueue<String> each :
          List.of(
              DeferredSignals.drainedBy(Runnable::run, reads),
              DeferredSignals.every20Millis(Runnable::run, reads))) {
        AtomicLong number = new AtomicLong();
        CompletableFuture<String> read =
            reads.until(() -> number.get() > 0 ? "read" : null).forever().hold("log");
        number.set(1);
        each.mark("log");
        assertThat(read.join()).isEqualTo("read");
      }
    }
  }

  private static CompletableFuture<HttpResponse<String>> get(
      HttpClient client, LongPollServer server, int after) {
    return client.sendAsync(HttpRequest.newBuilder(uri(server, after)).build(), text());
  }

  private static HttpResponse.BodyHandler<String> text() {
    return HttpResponse.BodyHandlers.ofString();
  }

  private static URI uri(LongPollServer server, int after) {
    return URI.create("http://localhost:" + server.port() + "/topics/t?after=" + after);
  }

  /** Programs with short limits print something else if their thread is stopped for longer. */
  private static void assertPrints(Runnable main, String expected) {
    String printed = output(main);
    for (int i = 0; i < 3 && !printed.equals(expected); i++) {
      printed = output(main);
    }
    assertThat(printed).isEqualTo(expected);
  }

  private static String output(Runnable main) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      main.run();
    } finally {
      System.setOut(out);
    }
    return bytes.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
  }
}
