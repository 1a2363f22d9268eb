package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.Threads;
import dev.purgatory.console.PurgatoryReading.Counts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.MBeanServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM. It is read on a thread of its own, since it may not answer. At most one reading runs
 * at a time. Not thread-safe.
 */
final class OtherJvm {

  /** What a JVM has said. */
  private record Reading(
      long nanos, Map<String, Object> registries, List<PurgatoryReading> purgatories) {

    /** Returns the counts of a purgatory; null if there are none. */
    @Nullable Counts counts(String name) {
      for (PurgatoryReading each : purgatories) {
        if (each.name().equals(name)) {
          return each.counts();
        }
      }
      return null;
    }
  }

  private final String title;
  private final Callable<? extends MBeanServerConnection> connection;

  /** The reading that runs, or whose result was not taken; null if there is none. */
  private @Nullable FutureTask<Reading> running;

  /** Whether nobody waits for it any more. */
  private boolean isLate;

  private boolean isForgotten;
  private @Nullable Reading last;

  OtherJvm(String title, Callable<? extends MBeanServerConnection> connection) {
    this.title = title;
    this.connection = connection;
  }

  /** Begins to read, unless a reading runs. */
  void begin() {
    if (running == null || (isForgotten && running.isDone())) {
      FutureTask<Reading> next = new FutureTask<>(this::read);
      Threads.daemon(next, "purgatory-console-jvm").start(); // fails without memory for a thread
      running = next;
      isLate = false;
    }
    isForgotten = false;
  }

  private Reading read() throws Exception {
    MBeanServerConnection beans = connection.call();
    Map<String, Object> registries = Registries.ofBroker(title, beans);
    List<PurgatoryReading> purgatories = PurgatoryReading.readAll(beans);
    return new Reading(System.nanoTime(), registries, purgatories);
  }

  /**
   * Returns the numbers, or why there are none. Does not wait for a reading for which an earlier
   * call has waited.
   *
   * @param deadline the time until which to wait, of {@link System#nanoTime}
   */
  Map<String, Object> end(long deadline) throws InterruptedException {
    Map<String, Object> program = new LinkedHashMap<>();
    List<Map<String, Object>> found = new ArrayList<>();
    program.put("title", title);
    program.put("purgatories", found);
    try {
      long patience = isLate ? 0 : deadline - System.nanoTime();
      Reading now = requireNonNull(running).get(patience, TimeUnit.NANOSECONDS);
      running = null;
      program.put("registries", now.registries);
      for (PurgatoryReading each : now.purgatories) {
        Counts earlier = last == null ? null : last.counts(each.name());
        double seconds = last == null ? 1 : (now.nanos - last.nanos) / 1e9;
        found.add(Sampler.numbers(each, earlier, seconds));
      }
      last = now;
    } catch (TimeoutException e) {
      isLate = true;
      program.put("obstacle", "does not answer");
    } catch (ExecutionException e) {
      running = null;
      last = null;
      Throwable cause = requireNonNull(e.getCause());
      program.put(
          "obstacle", ForeignText.of(cause.getMessage() == null ? cause : cause.getMessage()));
    }
    return program;
  }

  /** Forgets what was read. */
  void forget() {
    last = null;
    isForgotten = true;
  }
}
