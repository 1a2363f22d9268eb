package dev.purgatory.executor;

import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The task of a command, whose submitter gets no future and so no exception. */
final class Command extends WheelTask<@Nullable Object> {
  private final Runnable command;

  Command(WheelScheduledExecutor executor, Runnable command, long now) {
    super(executor, Executors.<@Nullable Object>callable(command, null), now, 0, false);
    this.command = command;
  }

  /** Reports an exception of the command as that of a thread. */
  @Override
  protected void setException(Throwable cause) {
    super.setException(cause);
    report(cause);
  }

  private static void report(Throwable cause) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, cause);
  }

  /** Cancels a command that is a future, such as those of {@code invokeAll}: somebody may wait. */
  @Override
  protected void done() {
    super.done();
    if (isCancelled() && command instanceof Future<?> future) {
      try {
        boolean unused = future.cancel(false);
      } catch (Throwable e) {
        report(e); // and go on with the other tasks
      }
    }
  }
}
