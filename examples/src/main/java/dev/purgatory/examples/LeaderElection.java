package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.session.Session;
import dev.purgatory.session.SessionEnd;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;

/** Leases: one candidate leads a partition, and the others wait for it to end. */
public final class LeaderElection implements AutoCloseable {
  private final Sessions<String, String> leases;

  // sample: sessions-lease-wait
  private final Purgatory<String> candidates;

  /** Completes when the candidate leads. Cancel it to give up. */
  HeldFuture<Session<String, String>> whenLeader(String partition, String candidate) {
    return candidates
        .until(() -> leases.tryOpen(partition, candidate))
        .orReturn(Session::close) // the candidate has given up
        .forever()
        .hold(partition);
  }

  private void onEnd(SessionEnd<String, String> lease) {
    candidates.signalAtMost(lease.key(), 1); // the candidate that has waited longest
  }

  // end

  LeaderElection(Purgatory<String> candidates, Timer timer, Duration lease, Executor executor) {
    this.candidates = candidates;
    this.leases = new Sessions<>(timer, lease, this::onEnd, executor);
  }

  @Override
  public void close() {
    candidates.close();
    leases.close();
  }

  /**
   * Runs the example: a leader steps down, and its successor is lost.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().start("leases");
        LeaderElection election =
            new LeaderElection(
                Purgatory.builder("candidates", String.class).timer(timer).build(),
                timer,
                Duration.ofMillis(300),
                Runnable::run)) {
      Session<String, String> first = election.whenLeader("p0", "a").join();
      HeldFuture<Session<String, String>> second = election.whenLeader("p0", "b");
      HeldFuture<Session<String, String>> third = election.whenLeader("p0", "c");
      System.out.println(first.owner() + " leads");
      first.close();
      System.out.println(second.join().owner() + " leads, and is lost");
      System.out.println(third.join().owner() + " leads");
    }
  }
}
