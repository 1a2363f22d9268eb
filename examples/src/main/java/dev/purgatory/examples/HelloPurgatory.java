package dev.purgatory.examples;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A long poll: a reader waits for the next message, until there is one or its time is up. */
public final class HelloPurgatory {
  private HelloPurgatory() {}

  // sample: operation
  /** Waits for messages after an offset. */
  static final class LongPoll extends DelayedOperation {
    final CompletableFuture<List<String>> answer = new CompletableFuture<>();
    private final List<String> log;
    private final int offset;

    LongPoll(List<String> log, int offset, Duration timeout) {
      super(timeout);
      this.log = log;
      this.offset = offset;
    }

    @Override
    protected boolean tryComplete() { // can it be answered? asked at each event
      return log.size() > offset;
    }

    @Override
    protected void onComplete() { // answers, exactly once
      answer.complete(List.copyOf(log.subList(offset, log.size())));
    }

    @Override
    protected void onExpiration() { // time has forced the answer
      System.out.println("Nothing came.");
    }
  }

  // end

  /**
   * Runs it.
   *
   * @param args none
   */
  public static void main(String... args) {
    // sample: use
    List<String> log = new CopyOnWriteArrayList<>();
    try (Purgatory<String, LongPoll> purgatory =
        Purgatory.<String, LongPoll>builder("hello").build()) {

      LongPoll poll = new LongPoll(log, 0, Duration.ofSeconds(30));
      purgatory.tryCompleteElseWatch(poll, List.of("log")); // no message yet: it is held

      log.add("hello"); // an event takes effect,
      purgatory.checkAndComplete("log"); // and completes what waits for it

      System.out.println(poll.answer.join()); // [hello]
    }
    // end
  }
}
