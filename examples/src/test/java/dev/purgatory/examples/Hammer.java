package dev.purgatory.examples;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** Runs several threads at once against a sample. */
public final class Hammer {
  private static final int TOPICS = 500;
  private static final int MESSAGES = 100; // for each topic, of each writer

  private Hammer() {}

  /** What one thread does. */
  @FunctionalInterface
  public interface Work {

    /**
     * Does it.
     *
     * @param thread the number of the thread, from 0
     * @throws Exception if the sample does something wrong
     */
    void run(int thread) throws Exception;
  }

  /**
   * Runs all work at the same moment, each on a thread of its own.
   *
   * @param work what to do
   * @throws Exception what one of them threw
   */
  public static void together(Work... work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(work.length);
    try {
      CompletionService<Void> running = new ExecutorCompletionService<>(threads);
      CyclicBarrier start = new CyclicBarrier(work.length);
      for (int i = 0; i < work.length; i++) {
        int number = i;
        Future<Void> unused =
            running.submit(
                () -> {
                  start.await();
                  work[number].run(number);
                  return null;
                });
      }
      for (int i = 0; i < work.length; i++) {
        Future<Void> next = running.poll(60, TimeUnit.SECONDS);
        if (next == null) {
          throw new TimeoutException("after a minute, " + (work.length - i) + " threads run");
        }
        next.get(); // the first failure ends the run
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Reads topics from their beginnings, as fast as possible, while messages are added to them.
   *
   * @param append adds a message to a topic
   * @param poll reads the messages of a topic from a number on
   * @throws Exception if a message is missing, or what one of the methods threw
   */
  public static void readWhileWriting(
      BiConsumer<String, String> append,
      BiFunction<String, Integer, CompletableFuture<List<String>>> poll)
      throws Exception {
    CyclicBarrier next = new CyclicBarrier(4);
    Work writer =
        thread -> {
          for (int topic = 0; topic < TOPICS; topic++) {
            next.await();
            for (int i = 0; i < MESSAGES; i++) {
              append.accept("topic " + topic, thread + ":" + i);
            }
          }
        };
    Work reader =
        thread -> {
          for (int topic = 0; topic < TOPICS; topic++) {
            next.await();
            for (int seen = 0; seen < 2 * MESSAGES; ) {
              int size = poll.apply("topic " + topic, 0).get(20, TimeUnit.SECONDS).size();
              if (size < seen) {
                throw new AssertionError(size + " messages after " + seen);
              }
              seen = size;
            }
          }
        };
    together(writer, writer, reader, reader);
  }
}
