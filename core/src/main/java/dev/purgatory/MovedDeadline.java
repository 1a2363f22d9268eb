package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.wheel.MovableDeadline;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import org.jspecify.annotations.Nullable;

/** The time limit of an operation whose deadline was moved. */
final class MovedDeadline extends Attachment {

  /*
   * The registration is an entry of the timer as long as its deadline is not moved. The first move begins
   * another wait, with an entry of its own, attaches this to the registration, and then ends the first wait
   * by a compare-and-set of the state, which also sets MOVED: see Registration.confirm. So the deadline of
   * the registration stays what it was: it tells since when the operation is held.
   *
   * Until this is `confirmed`, after MOVED was set, the first wait decides, and this one only remembers that
   * it was `reached`. Each side writes first and reads then: so at least one of the two expires the operation,
   * and if both do, the second one finds that it has ended.
   */

  private final TimerEntry first;
  private @Nullable MovableDeadline wait;
  private volatile boolean reached;
  private volatile boolean confirmed;

  private MovedDeadline(TimerEntry first) {
    this.first = first;
  }

  /**
   * Begins another wait for an operation.
   *
   * @param first the entry of its first wait; its {@code onTimeout} expires the operation
   * @return null if the timer is closed
   */
  static @Nullable MovedDeadline start(TimerEntry first, WheelTimer timer, long deadline) {
    MovedDeadline moved = new MovedDeadline(first);
    MovableDeadline wait = MovableDeadline.start(timer, moved::reached, deadline);
    moved.wait = wait;
    return wait == null ? null : moved;
  }

  /** Returns the moved deadline among the attachments, or null. */
  static @Nullable MovedDeadline of(@Nullable Object referent) {
    return find(MovedDeadline.class, referent);
  }

  /** Called by the timer. */
  private void reached() {
    reached = true;
    if (confirmed) {
      first.onTimeout();
    }
  }

  /** Called when this wait has replaced the first one: expires the operation if it ended before. */
  void confirm() {
    confirmed = true;
    if (reached) {
      first.onTimeout();
    }
  }

  boolean moveTo(long deadline) {
    return started().moveTo(deadline);
  }

  boolean cancel() {
    return started().cancel();
  }

  long deadline() {
    return started().deadline();
  }

  @Override
  void end() {
    cancel();
  }

  /** Returns the wait, which has begun before this is attached. */
  private MovableDeadline started() {
    return requireNonNull(wait);
  }
}
