package dev.purgatory.cluster.load;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Polls repeatedly from many consumers and measures how late the responses are.
 *
 * <p>After a response, each consumer waits for a random time before it polls again. Otherwise,
 * consumers that were once answered together would remain synchronized, in groups that differ
 * between runs.
 */
public final class PollLoop {
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int DIGITS = 3;
  private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final FetchClient client;
  private final Duration maxWait;
  private final Duration pace;
  private final PriorityQueue<Due> due =
      new PriorityQueue<>(Comparator.comparingLong(next -> next.nanos() - this.start));
  private final long start = System.nanoTime();
  private final SplittableRandom random = new SplittableRandom(1);

  private long begin = start;
  private Histogram lateNanos = new Histogram(DIGITS);
  private long earliestNanos;

  private record Due(FetchConnection connection, long nanos) {}

  /**
   * The results of a run.
   *
   * @param lateNanos the time by which each response exceeded its maximum wait, in nanoseconds
   * @param earliestNanos the longest time by which a response preceded its maximum wait, in
   *     nanoseconds, or 0
   * @param length the duration of the run
   */
  public record Stats(Histogram lateNanos, long earliestNanos, Duration length) {
    /** Returns the number of responses. */
    public long answers() {
      return lateNanos.getTotalCount();
    }
  }

  /**
   * Creates a loop without starting it.
   *
   * @param client the client, with a connection for each consumer
   * @param maxWait how long the broker holds each poll
   * @param pace the minimum time between two polls of a consumer
   */
  public PollLoop(FetchClient client, Duration maxWait, Duration pace) {
    this.client = client;
    this.maxWait = maxWait;
    this.pace = pace;
    spread(client.connections(), maxWait.plus(pace));
  }

  /** Spreads the first polls, since consumers that start together would remain synchronized. */
  private void spread(List<FetchConnection> connections, Duration over) {
    for (int i = 0; i < connections.size(); i++) {
      long delay = over.toNanos() * i / connections.size();
      due.add(new Due(connections.get(i), start + delay));
    }
  }

  /**
   * Polls for the given time. Polls in flight at the end are not counted, not even by the next run.
   *
   * @return the results
   * @throws IOException if a connection is lost or a response is an error
   */
  public Stats run(Duration time) throws IOException {
    lateNanos = new Histogram(DIGITS);
    earliestNanos = 0;
    begin = System.nanoTime();
    while (System.nanoTime() - begin < time.toNanos()) {
      fetchDue();
      client.poll(millisToNext(), this::answered);
    }
    return new Stats(lateNanos, earliestNanos, Duration.ofNanos(System.nanoTime() - begin));
  }

  private void fetchDue() {
    for (Due next = due.peek(); next != null && left(next) <= 0; next = due.peek()) {
      due.remove();
      client.fetch(next.connection(), maxWait);
    }
  }

  private long millisToNext() {
    Due next = due.peek();
    long nanos = next == null ? MAX_POLL_NANOS : Math.min(left(next), MAX_POLL_NANOS);
    return (Math.max(0, nanos) + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  private static long left(Due next) {
    return next.nanos() - System.nanoTime();
  }

  private void answered(FetchConnection connection, long nanos) {
    if (connection.sentNanos() - begin >= 0) {
      long late = nanos - connection.sentNanos() - maxWait.toNanos();
      lateNanos.recordValue(Math.max(0, late));
      earliestNanos = Math.max(earliestNanos, -late);
    }
    long toPace = Math.max(0, connection.sentNanos() + pace.toNanos() - nanos);
    due.add(new Due(connection, nanos + toPace + random.nextLong(MAX_PAUSE_NANOS)));
  }
}
