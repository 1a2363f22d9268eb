package dev.purgatory.cluster.node;

import java.nio.file.Path;

/** Thrown when a node fails or cannot be set up. The message is one line for the user. */
public final class NodeFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean inLog;

  /**
   * Creates a failure that is explained in the node's log.
   *
   * @param message one line for the user
   * @param log the log, which must be kept; its path is appended to the message
   */
  public NodeFailure(String message, Path log) {
    super(message + "; see its log: " + log);
    this.inLog = true;
  }

  /**
   * Creates a failure without a cause.
   *
   * @param message one line for the user
   */
  public NodeFailure(String message) {
    super(message);
    this.inLog = false;
  }

  /**
   * Creates a failure with a cause.
   *
   * @param message one line for the user
   * @param cause the cause
   */
  public NodeFailure(String message, Throwable cause) {
    super(message, cause);
    this.inLog = false;
  }

  /** Returns whether the message refers to a log, which must be kept. */
  public boolean isInLog() {
    return inLog;
  }
}
