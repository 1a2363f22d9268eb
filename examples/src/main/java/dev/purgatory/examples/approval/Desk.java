package dev.purgatory.examples.approval;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.SharedReplies;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where questions wait for a person: one for each instance of a service. */
final class Desk implements AutoCloseable {
  private static final Duration HOLD = Duration.ofSeconds(55);

  private final InstantSource clock;

  /**
   * Creates the desk of an instance.
   *
   * @param open the open questions, by id: in a service with several instances, a table of its
   *     database
   * @param store keeps the decisions of all instances
   * @param waits holds what waits here; closed with the desk
   * @param clock tells the time of decisions and deadlines
   */
  Desk(
      Map<String, Question> open, AnswerStore store, Purgatory<String> waits, InstantSource clock) {
    this.open = open;
    this.decisions =
        new SharedReplies<>("decisions", null, waits, store, Decision::encoded, Decision::decoded);
    this.clock = clock;
  }

  // sample: ask-a-human
  private final Map<String, Question> open; // a table of all instances
  private final SharedReplies<Decision> decisions;

  /** Puts a question on the screen; the id is all that an agent has to remember. */
  String ask(String text, String agent, @Nullable Duration within) {
    Instant deadline = within == null ? null : clock.instant().plus(within); // null: no limit
    String id = decisions.newId();
    open.put(id, new Question(text, agent, deadline));
    return id;
  }

  /** Waits for 55 seconds. After a timeout, ask again with the same id: here or elsewhere. */
  HeldFuture<Decision> poll(String id) {
    return decisions.await(id, HOLD);
  }

  /** Decides, unless somebody has: the completion says who, and when. */
  CompletableFuture<Completion<Decision>> decide(String id, boolean approved, String by) {
    return decisions
        .complete(id, new Decision(approved, by, clock.instant()))
        .whenComplete(
            (done, error) -> {
              if (error == null) {
                open.remove(id); // from the screen
              }
            });
  }

  // end

  // sample: decline-at-the-deadline
  /** Declines what is overdue; called every few seconds. The first decision stands. */
  void declineOverdue() {
    Instant now = clock.instant();
    open.forEach(
        (id, question) -> {
          if (question.deadline() != null && !now.isBefore(question.deadline())) {
            var unused = decide(id, false, "nobody in time"); // if it fails, the next sweep tries
          }
        });
  }

  // end

  /** Returns the open questions, for a screen: those of all instances, by id. */
  Map<String, Question> open() {
    return Map.copyOf(open);
  }

  /** Returns how many agents wait at this instance. */
  long waiting() {
    return decisions.pending();
  }

  /** Ends what waits here: an agent asks again, elsewhere. */
  @Override
  public void close() {
    decisions.close();
  }
}
