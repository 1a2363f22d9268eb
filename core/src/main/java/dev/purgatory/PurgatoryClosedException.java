package dev.purgatory;

/** An operation was refused, or could not be held any longer, because the purgatory is closed. */
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
