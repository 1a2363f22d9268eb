package dev.purgatory;

import java.util.concurrent.RejectedExecutionException;

/** Thrown to a request that a {@link Limit} refuses, or that it evicts. */
public class LimitExceededException extends RejectedExecutionException {
  private static final long serialVersionUID = 1L;

  private final String limit;

  LimitExceededException(String limit, String message) {
    super(message);
    this.limit = limit;
  }

  /**
   * Returns which limit refused or evicted the request.
   *
   * @return the name of the limit
   */
  public String limit() {
    return limit;
  }
}
