package dev.purgatory.spring;

import dev.purgatory.LimitExceededException;
import dev.purgatory.PurgatoryClosedException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Recognizes exceptions of purgatories after which a client should try again later. */
final class Unavailable {

  /** The value of the header Retry-After, in seconds. */
  static final String RETRY_AFTER = "1";

  private static final String PURGATORY = "dev.purgatory.";

  private Unavailable() {}

  static boolean isReasonOf(Throwable error) {
    Throwable cause = error.getCause();
    if (cause != null
        && (error instanceof CompletionException || error instanceof ExecutionException)) {
      return isReasonOf(cause);
    }
    return error instanceof LimitExceededException
        || error instanceof PurgatoryClosedException
        || (error instanceof TimeoutException timeout && isOfPurgatory(timeout));
  }

  /** Tells timeouts of held requests from others, such as those of a database. */
  private static boolean isOfPurgatory(TimeoutException timeout) {
    StackTraceElement[] trace = timeout.getStackTrace();
    return timeout.getClass().getName().startsWith(PURGATORY)
        || (trace.length > 0 && trace[0].getClassName().startsWith(PURGATORY));
  }
}
