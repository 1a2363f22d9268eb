package dev.purgatory;

import dev.purgatory.wheel.MovableDeadline;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import org.jspecify.annotations.Nullable;

/** The time limit of an operation whose deadline was moved. */
final class MovedDeadline extends Attachment {
  private final MovableDeadline wait;

  /**
   * Creates a deadline that can be moved, for an operation that waits.
   *
   * @param first the entry with which it waits
   * @param reached called by the timer when the deadline is reached
   */
  MovedDeadline(TimerEntry first, WheelTimer timer, Runnable reached) {
    wait = new MovableDeadline(timer, reached, first);
  }

  /** Returns the moved deadline among the attachments, or null. */
  static @Nullable MovableDeadline of(@Nullable Object referent) {
    MovedDeadline moved = find(MovedDeadline.class, referent);
    return moved == null ? null : moved.wait;
  }

  @Override
  void end() {
    wait.cancel();
  }
}
