package dev.purgatory;

import dev.purgatory.internal.MovableDeadline;
import org.jspecify.annotations.Nullable;

/** The time limit of an operation whose deadline was moved. */
final class MovedDeadline extends Attachment {

  /*
   * The registration is an entry of the timer as long as its deadline is not moved. The first move ends
   * that wait and begins another one, with an entry of its own. So the deadline of the registration stays
   * what it was: it tells since when the operation is held.
   */

  private final MovableDeadline wait;

  MovedDeadline(MovableDeadline wait) {
    this.wait = wait;
  }

  /** Returns the moved deadline among the attachments, or null. */
  static @Nullable MovedDeadline of(@Nullable Object referent) {
    return find(MovedDeadline.class, referent);
  }

  boolean moveTo(long deadline) {
    return wait.moveTo(deadline);
  }

  boolean cancel() {
    return wait.cancel();
  }

  long deadline() {
    return wait.deadline();
  }

  @Override
  void end() {
    boolean unused = wait.cancel();
  }
}
