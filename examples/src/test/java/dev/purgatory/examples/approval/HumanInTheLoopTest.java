package dev.purgatory.examples.approval;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.InMemoryAnswerStore;
import dev.purgatory.testkit.VirtualTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two instances of a service, which share a store and a table. */
class HumanInTheLoopTest {
  private static final Instant NINE = Instant.parse("2026-01-02T09:00:00Z");

  private final VirtualTime time = VirtualTime.create();
  private final InstantSource clock = () -> NINE.plus(time.now());
  private final Map<String, Question> table = new ConcurrentHashMap<>();
  private final AnswerStore store = new InMemoryAnswerStore(1_000);
  private final Desk a = desk("a");
  private final Desk b = desk("b");

  private Desk desk(String name) {
    return new Desk(table, store, time.purgatory(name, String.class), clock);
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    store.close();
    time.assertNothingPending();
    time.close();
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  @Test
  void decision_madeAtAnotherInstance_reachesTheAgent_andLeavesTheScreen() throws Exception {
    String id = a.ask("Delete all?", "agent-7", null);
    HeldFuture<Decision> waits = a.poll(id);
    assertThat(b.open()).containsOnly(Map.entry(id, new Question("Delete all?", "agent-7", null)));
    assertThat(a.waiting()).isEqualTo(1);
    time.advance(Duration.ofSeconds(20));
    assertThat(get(b.decide(id, true, "alice")).won()).isTrue();
    assertThat(get(waits)).isEqualTo(new Decision(true, "alice", NINE.plusSeconds(20)));
    assertThat(a.open()).isEmpty();
  }

  @Test
  void lateApprover_isToldWhoDecided_andWhen() throws Exception {
    String id = a.ask("Delete all?", "agent-7", null);
    Decision first = get(a.decide(id, false, "alice")).answer();
    time.advance(Duration.ofMinutes(5));
    assertThat(get(b.decide(id, true, "bob"))).isEqualTo(new Completion<>(false, first));
    assertThat(first).hasToString("declined by alice at 2026-01-02T09:00:00Z");
  }

  @Test
  void decisionsThatMeet_oneStands() throws Exception {
    for (int i = 0; i < 200; i++) {
      String id = a.ask("Delete all?", "agent-7", null);
      CompletableFuture<Completion<Decision>> yes =
          CompletableFuture.supplyAsync(() -> id)
              .thenCompose(same -> a.decide(same, true, "alice"));
      Completion<Decision> no = get(b.decide(id, false, "bob"));
      Completion<Decision> other = get(yes);
      assertThat(no.won()).isNotEqualTo(other.won());
      assertThat(no.answer()).isEqualTo(other.answer()).isEqualTo(get(b.poll(id)));
    }
  }

  @Test
  void poll_isBounded_andResumedAtAnotherInstance_afterTheFirstIsGone() throws Exception {
    String id = a.ask("Delete all?", "agent-7", null);
    HeldFuture<Decision> first = a.poll(id);
    time.advance(Duration.ofSeconds(55));
    assertThatThrownBy(first::join).hasCauseInstanceOf(TimeoutException.class);
    HeldFuture<Decision> second = a.poll(id);
    a.close();
    assertThatThrownBy(second::join).hasCauseInstanceOf(PurgatoryClosedException.class);
    assertThat(b.open()).containsKey(id);
    assertThat(get(b.decide(id, true, "alice")).won()).isTrue(); // while nobody waits
    assertThat(get(b.poll(id)).approved()).isTrue();
  }

  @Test
  void overdueQuestion_isDeclined_byAnyInstance_andOneWithoutALimitIsNot() throws Exception {
    String limited = a.ask("Buy?", "agent-7", Duration.ofMinutes(10));
    String unlimited = a.ask("Delete all?", "agent-7", null);
    time.advance(Duration.ofMinutes(10).minusMillis(1));
    b.declineOverdue();
    assertThat(b.open()).containsOnlyKeys(limited, unlimited);
    time.advance(Duration.ofMillis(1));
    b.declineOverdue();
    Decision decision = get(a.poll(limited));
    assertThat(decision).isEqualTo(new Decision(false, "nobody in time", NINE.plusSeconds(600)));
    assertThat(get(a.decide(limited, true, "alice")).answer()).isEqualTo(decision);
    time.advance(Duration.ofDays(1_000));
    b.declineOverdue();
    assertThat(a.open()).containsOnlyKeys(unlimited);
    assertThat(get(a.decide(unlimited, true, "alice")).won()).isTrue();
  }

  @Test
  void storeThatFails_leavesTheQuestionOpen() throws Exception {
    String id = a.ask("Buy?", "agent-7", Duration.ZERO);
    store.close();
    a.declineOverdue();
    assertThatThrownBy(() -> get(a.decide(id, true, "alice")))
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(a.open()).containsKey(id);
  }

  @Test
  @SuppressWarnings("try") // the first server is closed early
  void servers_sayOverHttpWhatHappened() throws Exception {
    List<ApprovalServer> servers = new ArrayList<>();
    for (String name : List.of("one", "two")) {
      Purgatory<String> waits = Purgatory.builder(name, String.class).build();
      servers.add(new ApprovalServer(0, new Desk(table, store, waits, clock)));
    }
    try (ApprovalServer one = servers.get(0);
        ApprovalServer two = servers.get(1)) {
      String id = get(send(one, "questions/agent-7", "Delete all?")).body().strip();
      assertThat(get(send(two, "questions", null)).body())
          .isEqualTo(id + " agent-7: Delete all?\n");
      CompletableFuture<HttpResponse<String>> poll = send(one, "decisions/" + id, null);
      while (one.waiting() == 0) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      one.close();
      assertResponse(get(poll), 202, "pending " + id);
      poll = send(two, "decisions/" + id, null);
      assertResponse(get(send(two, "decisions/" + id + "/alice", "yes")), 200, "Thank you");
      String decision = "approved by alice at 2026-01-02T09:00:00Z";
      assertResponse(get(poll), 200, decision);
      assertResponse(get(send(two, "decisions/" + id + "/bob", "no")), 409, "It was " + decision);
      assertResponse(get(send(two, "decisions/" + id, null)), 200, decision);
      assertThat(get(send(two, "questions", null)).body()).isBlank();

      String limited = get(send(two, "questions/agent-7?within=600", "Buy?")).body().strip();
      assertThat(requireNonNull(table.get(limited)).deadline()).isEqualTo(NINE.plusSeconds(600));
      assertResponse(get(send(two, "decisions", null)), 404, "");
      assertThat(get(send(two, "decisions/no%20id", null)).statusCode()).isEqualTo(400);
      store.close();
      assertThat(get(send(two, "decisions/" + limited, null)).statusCode()).isEqualTo(503);
      assertThat(get(send(two, "decisions/" + limited + "/bob", "no")).statusCode()).isEqualTo(503);
    }
  }

  private static void assertResponse(HttpResponse<String> response, int status, String text) {
    assertThat(response.body().strip()).isEqualTo(text);
    assertThat(response.statusCode()).isEqualTo(status);
  }

  /** Sends a text, or asks for one if it is null. */
  private static CompletableFuture<HttpResponse<String>> send(
      ApprovalServer server, String path, @Nullable String text) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + '/' + path));
    return HttpClient.newHttpClient()
        .sendAsync(
            text == null
                ? request.build()
                : request.POST(HttpRequest.BodyPublishers.ofString(text)).build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
