package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.HeldRequest;
import dev.purgatory.KeyGroup;
import dev.purgatory.Limit;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/** Requests that end with the connection they came from, and of which each connection has few. */
public final class Connections implements AutoCloseable {
  private final Purgatory<String> polls;
  private final Map<String, String> values = new ConcurrentHashMap<>();
  private final Map<String, Deque<String>> queues = new ConcurrentHashMap<>();

  Connections(Purgatory<String> polls) {
    this.polls = polls;
  }

  // sample: scope
  /** A client, all of whose requests end when it disconnects. */
  final class Connection {
    private final Limit limit = Limit.builder("requests per client").requests(100).build();
    private final Scope scope = Scope.of("client", limit);

    HeldFuture<String> poll(String key) {
      return polls
          .until(() -> values.get(key))
          .inScope(scope)
          .orTimeout(Duration.ofSeconds(30))
          .hold(key);
    }

    void onDisconnect(IOException cause) {
      scope.fail(cause);
    }
  }

  // end

  // sample: weight
  private final Limit bytes = Limit.builder("response bytes").weight(10_000_000).build();
  private final Purgatory<String> fetches =
      Purgatory.builder("fetches", String.class).limit(bytes).build();

  HeldFuture<String> fetch(String key, int size) {
    return fetches.until(() -> values.get(key)).weight(size).forever().hold(key);
  }

  // end

  // sample: ending-by-key
  void onLeaderMoved(String partition, String leader) {
    polls.failForKey(partition, new IllegalStateException("the leader is now " + leader));
  }

  void onTopicDeleted(String topic) {
    IllegalStateException cause = new IllegalStateException(topic + " was deleted");
    for (HeldRequest<String> each : polls.inspect().held()) {
      if (each.keys().stream().anyMatch(partition -> partition.startsWith(topic + "-"))) {
        each.fail(cause);
      }
    }
  }

  // end

  // sample: reason
  /** Waits for a value that somebody has committed, and ignores signals for other reasons. */
  HeldFuture<String> untilCommitted(String key) {
    return polls
        .untilSignalled(reason -> concerns(reason) ? values.get("committed " + key) : null)
        .forever()
        .hold(key);
  }

  private static boolean concerns(@Nullable Object reason) {
    return reason == null || reason == Reason.COMMIT; // null: look at everything
  }

  void onCommit(String key, String value) {
    values.put("committed " + key, value);
    polls.signal(key, Reason.COMMIT);
  }

  // end

  enum Reason {
    APPEND,
    COMMIT
  }

  // sample: at-most
  /** Takes a value that only one request can have; the oldest request gets it. */
  HeldFuture<String> take(String name) {
    Deque<String> queue = queue(name);
    return polls
        .until(queue::poll)
        .orReturn( // the request had already ended
            value -> {
              queue.addFirst(value);
              polls.signalAtMost(name, 1);
            })
        .forever()
        .hold(name);
  }

  void offer(String name, String value) {
    queue(name).addLast(value);
    polls.signalAtMost(name, 1);
  }

  // end

  private Deque<String> queue(String name) {
    return queues.computeIfAbsent(name, key -> new ConcurrentLinkedDeque<>());
  }

  // sample: key-group
  /** Polls of the same keys, again and again. */
  final class FetchSession implements AutoCloseable {
    private final KeyGroup<String> keys;

    FetchSession(List<String> topics) {
      keys = polls.group(topics);
    }

    HeldFuture<String> poll() {
      return polls.until(this::next).orTimeout(Duration.ofSeconds(30)).hold(keys);
    }

    private @Nullable String next() {
      return keys.keys().stream().map(values::get).filter(v -> v != null).findFirst().orElse(null);
    }

    @Override
    public void close() {
      keys.close();
    }
  }

  // end

  // sample: recheck
  /** Waits for a value that another process may set, which nobody signals here. */
  HeldFuture<String> untilSet(String key) {
    return polls
        .until(() -> values.get(key))
        .recheckEvery(Duration.ofMillis(200))
        .jitter(Duration.ofSeconds(3))
        .orTimeout(Duration.ofSeconds(30))
        .hold(key);
  }

  // end

  void put(String key, String value) {
    values.put(key, value);
    polls.signal(key);
  }

  long heldBytes() {
    return bytes.weight();
  }

  @Override
  public void close() {
    polls.close();
    fetches.close();
  }

  /** Loses a connection that waits for two keys. */
  public static void main(String... args) {
    try (Connections server = new Connections(Purgatory.builder("polls", String.class).build())) {
      Connection lost = server.new Connection();
      Connection other = server.new Connection();
      HeldFuture<String> first = lost.poll("a");
      HeldFuture<String> second = lost.poll("b");
      HeldFuture<String> third = other.poll("a");
      lost.onDisconnect(new IOException("connection reset"));
      System.out.println(first.cause() + ", " + second.outcome());
      server.put("a", "hello");
      System.out.println(third.join());
    }
  }
}
