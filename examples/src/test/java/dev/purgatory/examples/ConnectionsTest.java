package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
  private final Purgatory<String> polls = Purgatory.builder("test", String.class).build();
  private final Connections server = new Connections(polls);

  @AfterEach
  void nothingIsLeft() {
    server.close();
    assertThat(polls.pending()).isZero();
  }

  @Test
  void lostConnection_endsItsRequests_andRefusesLaterOnes() {
    Connections.Connection lost = server.new Connection();
    HeldFuture<String> other = server.new Connection().poll("a");
    HeldFuture<String> own = lost.poll("a");
    lost.onDisconnect(new IOException("reset"));
    assertThat(own.cause()).hasMessage("reset");
    assertThat(lost.poll("b").cause()).hasMessage("reset");
    server.put("a", "x");
    assertThat(other).isCompletedWithValue("x");
  }

  @Test
  void connection_holdsAHundredRequests_andNoMore() {
    Connections.Connection greedy = server.new Connection();
    List<HeldFuture<String>> held = new ArrayList<>();
    for (int i = 0; i < 101; i++) {
      held.add(greedy.poll("a"));
    }
    assertThat(held.get(99)).isNotDone();
    assertThat(held.get(100).cause()).isInstanceOf(LimitExceededException.class);
    assertThat(server.new Connection().poll("a")).isNotDone();
  }

  @Test
  void bytes_areLimited() {
    HeldFuture<String> heavy = server.fetch("a", 9_000_000);
    HeldFuture<String> refused = server.fetch("a", 1_000_001);
    assertThatThrownBy(refused::join).hasCauseInstanceOf(LimitExceededException.class);
    assertThat(server.heldBytes()).isEqualTo(9_000_000);
    assertThat(heavy.cancel(false)).isTrue();
    assertThat(server.heldBytes()).isZero();
  }

  @Test
  void endingByKey() {
    Connections.Connection client = server.new Connection();
    HeldFuture<String> moved = client.poll("p0");
    server.onLeaderMoved("p0", "node 2");
    HeldFuture<String> ofTopic = client.poll("orders-3");
    server.onTopicDeleted("orders");
    assertThat(ofTopic.cause()).hasMessage("orders was deleted");
    assertThat(moved.cause()).hasMessage("the leader is now node 2");
  }

  @Test
  void commit_wakesWhoWaitsForIt_anAppendDoesNot() {
    HeldFuture<String> read = server.untilCommitted("k");
    assertThat(polls.signal("k", Connections.Reason.APPEND)).isZero();
    server.onCommit("k", "v");
    assertThat(read).isCompletedWithValue("v");
  }

  @Test
  void value_goesToTheOldestRequest() {
    HeldFuture<String> first = server.take("q");
    HeldFuture<String> second = server.take("q");
    server.offer("q", "x");
    assertThat(first).isCompletedWithValue("x");
    assertThat(second).isNotDone();
  }

  @Test
  void session_pollsItsKeys_againAndAgain() {
    try (Connections.FetchSession session = server.new FetchSession(List.of("a", "b"))) {
      HeldFuture<String> poll = session.poll();
      server.put("c", "x");
      assertThat(poll).isNotDone();
      server.put("b", "y");
      assertThat(poll).isCompletedWithValue("y");
      assertThat(session.poll()).isCompletedWithValue("y");
    }
  }

  @Test
  void untilSet_waitsForAValueOrItsTimeout() {
    HeldFuture<String> poll = server.untilSet("k");
    assertThat(poll).isNotDone();
    server.put("k", "v");
    assertThat(poll.join()).isEqualTo("v");
    assertThat(poll.outcome()).isEqualTo(Outcome.COMPLETED);
  }

  @Test
  void main_losesAConnection() {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      Connections.main();
    } finally {
      System.setOut(before);
    }
    assertThat(output.toString(StandardCharsets.UTF_8))
        .isEqualTo("java.io.IOException: connection reset, FAILED\nhello\n");
  }
}
