package dev.purgatory.examples.virtual;

import dev.purgatory.Purgatory;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Long polls that block: ten thousand at once wait on virtual threads. */
public final class BlockingPolls implements AutoCloseable {
  // sample: blocking-poll
  private final Purgatory<String> polls;

  /** Waits for messages after an offset; returns none after 30 seconds. An interrupt cancels it. */
  List<String> poll(String topic, int after) throws InterruptedException, TimeoutException {
    List<String> log = log(topic);
    return polls
        .until(() -> log.size() > after ? log.stream().skip(after).toList() : null)
        .orAfter(Duration.ofSeconds(30), List::of)
        .hold(topic)
        .awaitAnswer();
  }

  // end

  private static final int READERS = 10_000;

  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();

  BlockingPolls() {
    this(Purgatory.builder("blocking-polls", String.class).build());
  }

  BlockingPolls(Purgatory<String> polls) {
    this.polls = polls;
  }

  void append(String topic, String message) {
    log(topic).add(message);
    polls.signal(topic);
  }

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }

  long pending() {
    return polls.pending();
  }

  /** Returns the number of live platform threads. Virtual threads are not counted. */
  static int platformThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  @Override
  public void close() {
    polls.close();
  }

  /**
   * Runs the example: many readers wait, one is interrupted, and the others get a message.
   *
   * @param args ignored
   * @throws Exception if a reader fails
   */
  public static void main(String... args) throws Exception {
    try (BlockingPolls server = new BlockingPolls();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<List<String>>> readers =
          IntStream.range(0, READERS)
              .mapToObj(i -> threads.submit(() -> server.poll("greetings", 0)))
              .toList();
      awaitPending(server, READERS);
      System.out.println(READERS + " readers wait on " + platformThreads() + " platform threads");

      readers.get(0).cancel(true); // interrupts the reader
      awaitPending(server, READERS - 1);
      System.out.println(server.pending() + " are left after an interrupt");

      server.append("greetings", "hello");
      int answered = 0;
      for (Future<List<String>> reader : readers.subList(1, READERS)) {
        answered += reader.get().size();
      }
      System.out.println(answered + " get the message, " + server.pending() + " are left");
    }
  }

  private static void awaitPending(BlockingPolls server, int pending) throws InterruptedException {
    while (server.pending() != pending) {
      Thread.sleep(1);
    }
  }
}
