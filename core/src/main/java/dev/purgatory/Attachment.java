package dev.purgatory;

import dev.purgatory.base.LastResort;
import org.jspecify.annotations.Nullable;

/** State attached to a registration; released when the operation ends. */
abstract class Attachment {

  /*
   * Few operations have attachments, so they have no field of their own: the last attachment takes the
   * place of the operation in the registration, and refers to the operation and to the former attachment.
   * These two fields are written before the compare-and-set that publishes the attachment.
   */

  private static final LastResort NOT_RELEASED =
      LastResort.handler("What belongs to a request could not be released");
  private static final LastResort NOT_RECORDED =
      LastResort.handler("The evaluation of a request could not be recorded");

  @Nullable Object operation;
  @Nullable Attachment former;

  /** Called once, when the operation has ended. */
  abstract void end();

  /**
   * Records an evaluation of the operation. Called by the evaluator.
   *
   * @param reason the reason that was passed to {@code signal}, {@link Registration#TIMEOUT}, or
   *     null
   * @param ready whether the condition holds
   * @param error what the condition threw; null if it returned
   */
  void evaluated(@Nullable Object reason, boolean ready, @Nullable Throwable error) {}

  /** The cause of an operation that has failed, or who has cancelled it. */
  static class Failure extends Attachment {
    private final Throwable cause;

    Failure(Throwable cause) {
      this.cause = cause;
    }

    @Override
    void end() {}
  }

  /** The cause of an operation that has failed because it was refused. */
  static final class Refusal extends Failure {
    Refusal(Throwable reason) {
      super(reason);
    }
  }

  /** Returns the last attachment behind a referent, or null. */
  static @Nullable Attachment last(@Nullable Object referent) {
    return referent instanceof Attachment last ? last : null;
  }

  /** Returns the last attachment of a type, or null. */
  static <A extends Attachment> @Nullable A find(Class<A> type, @Nullable Object referent) {
    Attachment each = last(referent);
    while (each != null && !type.isInstance(each)) {
      each = each.former;
    }
    return each == null ? null : type.cast(each);
  }

  /** Returns the cause of the end, if there is one among the attachments. */
  static @Nullable Throwable cause(Object last) {
    Failure failure = find(Failure.class, last);
    return failure == null ? null : failure.cause;
  }

  /** Records an evaluation in all attachments. Does not throw: the evaluator has to go on. */
  static void evaluatedAll(
      @Nullable Object referent,
      @Nullable Object reason,
      boolean ready,
      @Nullable Throwable error) {
    for (Attachment each = last(referent); each != null; each = each.former) {
      try {
        each.evaluated(reason, ready, error);
      } catch (Throwable e) {
        NOT_RECORDED.accept(e);
      }
    }
  }

  /** Ends all attachments, the last one first. A key that throws affects only its attachment. */
  static void endAll(Object last) {
    for (Attachment each = last(last); each != null; each = each.former) {
      try {
        each.end();
      } catch (Throwable e) {
        NOT_RELEASED.accept(e);
      }
    }
  }
}
