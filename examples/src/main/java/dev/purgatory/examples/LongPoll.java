package dev.purgatory.examples;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Hold until a condition: readers wait for the next message of a topic, up to a time limit. */
public final class LongPoll implements AutoCloseable {
  // sample: long-poll
  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();
  private final Purgatory<String> polls;

  LongPoll(Purgatory<String> polls) {
    this.polls = polls;
  }

  /** Returns the messages after an offset, or none after 30 seconds. Cancel it to give up. */
  CompletableFuture<List<String>> poll(String topic, int after) {
    List<String> log = log(topic);
    return polls
        .until(() -> log.size() > after ? log.stream().skip(after).toList() : null)
        .orAfter(Duration.ofSeconds(30), List::of)
        .hold(topic);
  }

  void append(String topic, String message) {
    log(topic).add(message);
    polls.signal(topic); // after the event: evaluates what waits for this topic
  }

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }

  // end

  LongPoll() {
    this(Purgatory.builder("long-poll", String.class).build());
  }

  @Override
  public void close() {
    polls.close();
  }

  /**
   * Runs the example: a reader waits for the first message.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (LongPoll server = new LongPoll()) {
      CompletableFuture<List<String>> poll = server.poll("greetings", 0);
      System.out.println(poll.isDone()); // false: no message yet
      server.append("greetings", "hello");
      System.out.println(poll.join()); // [hello]
    }
  }
}
