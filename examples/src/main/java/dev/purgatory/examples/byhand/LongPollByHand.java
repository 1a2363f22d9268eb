package dev.purgatory.examples.byhand;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The long poll, with the JDK alone. */
@SuppressWarnings("FutureReturnValueIgnored") // as it is usually written
public final class LongPollByHand {
  // sample: long-poll-by-hand
  private record Poll(int after, CompletableFuture<List<String>> answer) {}

  private final Map<String, Queue<Poll>> polls = new ConcurrentHashMap<>();

  CompletableFuture<List<String>> poll(String topic, int after) {
    Poll poll = new Poll(after, new CompletableFuture<>());
    polls.compute(
        topic,
        (key, waiting) -> {
          Queue<Poll> queue = waiting == null ? new ConcurrentLinkedQueue<>() : waiting;
          queue.add(poll);
          return queue;
        });
    poll.answer
        .completeOnTimeout(List.of(), Duration.ofSeconds(30).toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((answer, error) -> remove(topic, poll)); // also when it is cancelled
    check(topic); // a message may have arrived before the poll was queued
    return poll.answer;
  }

  private void remove(String topic, Poll poll) {
    polls.computeIfPresent(
        topic,
        (key, waiting) -> {
          waiting.remove(poll); // linear in the number of waiting polls
          return waiting.isEmpty() ? null : waiting;
        });
  }

  private void check(String topic) {
    List<String> log = log(topic);
    for (Poll poll : polls.getOrDefault(topic, new ConcurrentLinkedQueue<>())) {
      if (log.size() > poll.after) {
        poll.answer.complete(log.stream().skip(poll.after).toList());
      }
    }
  }

  void append(String topic, String message) {
    log(topic).add(message);
    check(topic);
  }

  // end

  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }

  int pending() {
    return polls.values().stream().mapToInt(Queue::size).sum();
  }
}
