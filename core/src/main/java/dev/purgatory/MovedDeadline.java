package dev.purgatory;

import dev.purgatory.wheel.MovableDeadline;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import org.jspecify.annotations.Nullable;

/** The time limit of an operation whose deadline was moved. */
final class MovedDeadline extends Attachment {
  private final TimerEntry first;
  private final MovableDeadline wait;

  /**
   * Creates a deadline that can be moved, for an operation that waits.
   *
   * @param first the entry with which it waits
   * @param reached called by the timer when the deadline is reached
   */
  MovedDeadline(TimerEntry first, WheelTimer timer, Runnable reached) {
    this.first = first;
    wait = new MovableDeadline(timer, reached, first);
  }

  /** Returns the moved deadline among the attachments, or null. */
  static @Nullable MovedDeadline of(@Nullable Object referent) {
    return find(MovedDeadline.class, referent);
  }

  /** Called by the timer when the first entry was due. */
  void onDue() {
    wait.onDue(first);
  }

  boolean moveTo(long deadline) {
    return wait.moveTo(deadline);
  }

  long deadline() {
    return wait.deadline();
  }

  @Override
  void end() {
    wait.cancel();
  }
}
