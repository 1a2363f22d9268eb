package dev.purgatory.cluster.load;

/**
 * Thrown if the load cannot be started, or if its clients do not get what they must. The message is
 * one line for the user.
 */
public final class LoadFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LoadFailure(String message) {
    super(message);
  }

  LoadFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
