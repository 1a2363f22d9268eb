package dev.purgatory.examples.comingfrom;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Replies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Replies by correlation id: a map with {@code orTimeout}, and {@link Replies}. */
@SuppressWarnings("FutureReturnValueIgnored") // as it is usually written
class MapOfFuturesTest {

  interface Connection {
    void send(int id, String request);
  }

  private static final class Before {
    private final Connection connection;

    Before(Connection connection) {
      this.connection = connection;
    }

    // sample: from-map
    private final Map<Integer, CompletableFuture<String>> pending = new ConcurrentHashMap<>();

    CompletableFuture<String> call(int id, String request) {
      CompletableFuture<String> reply = new CompletableFuture<>();
      pending.put(id, reply);
      reply.orTimeout(30, SECONDS).whenComplete((value, error) -> pending.remove(id, reply));
      connection.send(id, request);
      return reply;
    }

    void onReply(int id, String value) {
      CompletableFuture<String> reply = pending.get(id);
      if (reply != null) {
        reply.complete(value);
      }
    }

    // end
  }

  private static final class After {
    private final Connection connection;

    After(Connection connection) {
      this.connection = connection;
    }

    // sample: to-replies
    private final Replies<Integer, String> replies =
        Replies.builder("rpc", Integer.class, String.class).build();

    CompletableFuture<String> call(int id, String request) {
      CompletableFuture<String> reply = replies.expect(id, Duration.ofSeconds(30));
      connection.send(id, request);
      return reply;
    }

    void onReply(int id, String value) {
      replies.complete(id, value);
    }

    // end
  }

  private final List<String> sent = new ArrayList<>();

  private void send(int id, String request) {
    sent.add(id + ": " + request);
  }

  @Test
  void before_replyCompletesItsCall() {
    Before client = new Before(this::send);
    CompletableFuture<String> first = client.call(1, "one");
    CompletableFuture<String> second = client.call(2, "two");
    client.onReply(2, "zwei");
    client.onReply(3, "never asked");
    assertThat(second).isCompletedWithValue("zwei");
    assertThat(first.cancel(false)).isTrue();
    assertThat(client.pending).isEmpty();
    assertThat(sent).containsExactly("1: one", "2: two");
  }

  @Test
  void after_replyCompletesItsCall() {
    After client = new After(this::send);
    CompletableFuture<String> first = client.call(1, "one");
    CompletableFuture<String> second = client.call(2, "two");
    client.onReply(2, "zwei");
    client.onReply(3, "never asked");
    assertThat(second).isCompletedWithValue("zwei");
    assertThat(first.cancel(false)).isTrue();
    assertThat(client.replies.pending()).isZero();
    assertThat(sent).containsExactly("1: one", "2: two");
  }
}
