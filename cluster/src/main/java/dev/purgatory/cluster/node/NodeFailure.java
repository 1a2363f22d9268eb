package dev.purgatory.cluster.node;

import java.nio.file.Path;

/** A node, or what it needs, failed. The message is one line for the user. */
public final class NodeFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean inLog;

  /**
   * A failure that the node's log tells more about.
   *
   * @param message one line for the user
   * @param log the log, which must be kept; the message will name it
   */
  public NodeFailure(String message, Path log) {
    super(message + "; its log is " + log);
    this.inLog = true;
  }

  /**
   * A failure without another one behind it.
   *
   * @param message one line for the user
   */
  public NodeFailure(String message) {
    super(message);
    this.inLog = false;
  }

  /**
   * A failure that another one caused.
   *
   * @param message one line for the user
   * @param cause what went wrong below
   */
  public NodeFailure(String message, Throwable cause) {
    super(message, cause);
    this.inLog = false;
  }

  /** Whether the message names a log that people will want to look into. */
  public boolean isInLog() {
    return inLog;
  }
}
