package dev.purgatory;

import dev.purgatory.wheel.MovableDeadline;
import dev.purgatory.wheel.WheelTimer;
import org.jspecify.annotations.Nullable;

/** The time limit of an operation whose deadline was moved: see {@link Registration#reschedule}. */
final class MovedDeadline extends Attachment implements Runnable {
  private final Registration registration;
  private final MovableDeadline wait;

  MovedDeadline(Registration registration, WheelTimer timer) {
    this.registration = registration;
    wait = new MovableDeadline(timer, this, registration);
  }

  /** Returns the moved deadline among the attachments, or null. */
  static @Nullable MovedDeadline of(@Nullable Object referent) {
    return find(MovedDeadline.class, referent);
  }

  /** Called by the timer when the registration was due. */
  void onDue() {
    wait.onDue(registration);
  }

  /** Called by the timer when the deadline is reached. */
  @Override
  public void run() {
    registration.expireSoon();
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
    cancel();
  }
}
