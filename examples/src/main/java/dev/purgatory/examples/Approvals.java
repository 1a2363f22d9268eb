package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Replies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Wait for somebody: the tool calls of an agent are held until a human decides. */
public final class Approvals implements AutoCloseable {

  /** What a human says. */
  enum Decision {
    APPROVED,
    DENIED,
    EXPIRED
  }

  private final Replies<String, Decision> approvals;

  Approvals(Replies<String, Decision> approvals) {
    this.approvals = approvals;
  }

  /** Waits for the decision on a call. */
  CompletableFuture<Decision> ask(String call, String agent) {
    // sample: until-completed
    HeldFuture<Decision> decision =
        approvals
            .expecting()
            .tag(agent)
            .orAfter(Duration.ofMinutes(10), () -> Decision.EXPIRED)
            .hold(call);
    // end
    return decision;
  }

  // sample: held
  /** Lists what waits for a decision, for a screen. */
  List<String> waiting() {
    return approvals.purgatory().inspect().held().stream()
        .map(call -> call.keys() + " for " + call.tag() + ", expires in " + call.timeLeft())
        .toList();
  }

  // end

  /** Returns whether somebody waited for the decision. */
  boolean decide(String call, Decision decision) {
    return approvals.complete(call, decision);
  }

  @Override
  public void close() {
    approvals.close();
  }

  /**
   * Runs the example: a call waits, and is approved.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (Approvals approvals =
        new Approvals(Replies.builder("approvals", String.class, Decision.class).build())) {
      CompletableFuture<Decision> deletion = approvals.ask("delete the old files", "agent 7");
      System.out.println(deletion.isDone() ? "decided" : "waits");
      boolean waited = approvals.decide("delete the old files", Decision.APPROVED);
      System.out.println(deletion.join() + (waited ? "" : ", but nobody waited"));
    }
  }
}
