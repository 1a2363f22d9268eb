package dev.purgatory.examples;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.SignalQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A log whose writers hold a lock when they announce an event, and whose readers need it. */
public final class DeferredSignals implements AutoCloseable {
  private final Object lock = new Object();
  private final List<String> log = new ArrayList<>();
  private final Purgatory<String> reads = Purgatory.builder("reads", String.class).build();

  // sample: deferred-signals
  private final SignalQueue<String> events = new SignalQueue<>(reads);

  void append(String message) {
    synchronized (lock) {
      log.add(message);
      events.mark("log"); // runs nothing
    }
    events.run(); // evaluates the requests, without the lock
  }

  // end

  HeldFuture<List<String>> read(int count) {
    return reads.until(() -> first(count)).orTimeout(Duration.ofSeconds(30)).hold("log");
  }

  private @Nullable List<String> first(int count) {
    synchronized (lock) {
      return log.size() >= count ? List.copyOf(log.subList(0, count)) : null;
    }
  }

  // sample: deferred-signals-executor
  static SignalQueue<String> drainedBy(Executor executor, Purgatory<String> reads) {
    return new SignalQueue<>(reads, executor);
  }

  // end

  // sample: deferred-signals-window
  static SignalQueue<String> every20Millis(Executor executor, Purgatory<String> reads) {
    return new SignalQueue<>(reads, CompletableFuture.delayedExecutor(20, MILLISECONDS, executor));
  }

  // end

  @Override
  public void close() {
    reads.close();
  }

  /** Reads two messages that are appended afterwards. */
  public static void main(String... args) {
    try (DeferredSignals server = new DeferredSignals()) {
      HeldFuture<List<String>> read = server.read(2);
      server.append("one");
      System.out.println(read.isDone());
      server.append("two");
      System.out.println(read.join());
    }
  }
}
