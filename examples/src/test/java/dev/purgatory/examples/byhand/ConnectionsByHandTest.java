package dev.purgatory.examples.byhand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ConnectionsByHandTest {
  @Test
  void lostConnection_endsItsRequests() {
    ConnectionsByHand server = new ConnectionsByHand();
    ConnectionsByHand.Connection lost = server.new Connection();
    CompletableFuture<String> own = lost.poll("a");
    CompletableFuture<String> other = server.new Connection().poll("a");
    lost.onDisconnect(new IOException("reset"));
    assertThatThrownBy(own::join).hasRootCauseMessage("reset");
    assertThatThrownBy(lost.poll("a")::join).hasRootCauseMessage("reset");
    server.put("a", "x");
    assertThat(other).isCompletedWithValue("x");
    assertThat(server.keys()).isZero();
  }

  @Test
  void connection_holdsAHundredRequests() {
    ConnectionsByHand.Connection greedy = new ConnectionsByHand().new Connection();
    List<CompletableFuture<String>> held = new ArrayList<>();
    for (int i = 0; i < 101; i++) {
      held.add(greedy.poll("a"));
    }
    assertThat(held.get(99)).isNotDone();
    assertThat(held.get(100)).isCompletedExceptionally();
  }
}
