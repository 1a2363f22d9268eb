package dev.purgatory;

/** Thrown when an operation is refused, or ends, because its purgatory is closed. */
public final class PurgatoryClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param message names the purgatory
   */
  PurgatoryClosedException(String message) {
    super(message);
  }
}
