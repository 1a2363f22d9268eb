package dev.purgatory.answers;

import dev.purgatory.base.ForeignText;
import org.jspecify.annotations.Nullable;

/**
 * An answer could not be given, or it could not be found out in time whether it was the first. The
 * cause has the reason.
 *
 * <p>Unless the cause excludes it, the answer may have been stored. Awaiting the id tells. Giving
 * the answer again is safe: at worst it loses to itself.
 *
 * <p>Also thrown if Kafka does not answer, or refuses access, when a store or {@link KafkaSignals}
 * connects; and waits fail with it while the topic of a store cannot be used.
 */
public final class AnswerStoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param message what failed
   * @param cause why; null if that is all
   */
  public AnswerStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  static AnswerStoreException cannotWrite(String id, Throwable cause) {
    return new AnswerStoreException("cannot write the answer to " + ForeignText.of(id), cause);
  }
}
