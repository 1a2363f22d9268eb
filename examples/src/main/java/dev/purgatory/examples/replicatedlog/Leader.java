package dev.purgatory.examples.replicatedlog;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * The replica that takes writes. It acknowledges a write when enough replicas have it. The other
 * replicas fetch entries from it. Thread-safe.
 */
final class Leader implements AutoCloseable {

  /*
   * For each replica, a number tells how many entries it has. It knows the number of a follower from its
   * fetches: a follower that asks for entry 7 has entries 0 to 6. The numbers wake both kinds of requests:
   * a write waits until some of them have passed its entry, and a fetch waits until the leader's has
   * passed the end of the follower's log. No thread waits with them.
   */

  private static final Duration WRITE_TIMEOUT = Duration.ofMillis(300);
  private static final Duration FETCH_TIMEOUT = Duration.ofMillis(200);
  private static final int BATCH = 100;

  private final String name;
  private final Set<String> replicas;
  private final LogFile log;
  private final Purgatory<String> purgatory;

  /**
   * Creates a leader.
   *
   * @param name the name of this replica
   * @param replicas the names of all replicas
   * @param log its log
   * @param purgatory holds writes and fetches; closed with the leader
   */
  Leader(String name, Set<String> replicas, LogFile log, Purgatory<String> purgatory) {
    this.name = name;
    this.replicas = Set.copyOf(replicas);
    this.log = log;
    this.purgatory = purgatory;
    this.ends = new Thresholds<>(purgatory);
    ends.advance(name, log.end());
  }

  // sample: replicated-log
  private final Thresholds<String> ends; // the number of entries that each replica has

  /** Appends an entry; done when enough replicas have it, and fails if they take too long. */
  HeldFuture<Map<String, Long>> write(String entry, int copies) {
    checkCopies(copies);
    long end = log.append(entry);
    ends.advance(name, end);
    return ends.reach(copies, everywhere(end))
        .orTimeout(WRITE_TIMEOUT, () -> tooFew(end, copies))
        .hold();
  }

  /** Returns entries from an index on; waits for one. The follower has those before it. */
  CompletableFuture<List<String>> fetch(String follower, int from) {
    checkFetch(follower, from);
    ends.advance(follower, from);
    return ends.reach(name, from + 1)
        .orAfter(FETCH_TIMEOUT, () -> (long) from)
        .hold()
        .thenApply(end -> log.read(from, BATCH));
  }

  // end

  private void checkCopies(int copies) {
    if (copies < 1 || copies > replicas.size()) {
      throw new IllegalArgumentException(copies + " copies on " + replicas.size() + " replicas");
    }
  }

  private void checkFetch(String follower, int from) {
    if (!replicas.contains(follower) || follower.equals(name)) {
      throw new IllegalArgumentException(follower + " is not a follower");
    }
    if (from < 0 || from > log.end()) {
      throw new IllegalArgumentException(
          follower + " has " + from + " entries, and the leader has " + log.end());
    }
  }

  private Map<String, Long> everywhere(long end) {
    Map<String, Long> thresholds = new HashMap<>();
    replicas.forEach(replica -> thresholds.put(replica, end));
    return thresholds;
  }

  private TimeoutException tooFew(long end, int copies) {
    long has = replicas.stream().filter(replica -> has(replica, end)).count();
    return new TimeoutException(
        "only " + has + " of " + replicas.size() + " replicas have it, " + copies + " must");
  }

  private boolean has(String replica, long end) {
    Long number = ends.number(replica);
    return number != null && number >= end;
  }

  @Override
  public void close() {
    purgatory.close();
  }
}
