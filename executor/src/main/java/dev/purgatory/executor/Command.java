package dev.purgatory.executor;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The task of a command, whose submitter gets no future and so no exception. */
final class Command extends WheelTask<@Nullable Object> {
  Command(WheelScheduledExecutor executor, Runnable command, long now) {
    super(executor, command, now, 0);
  }

  /** Reports an exception of the command as that of a thread. */
  @Override
  void onFailure(Throwable cause) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, cause);
  }

  /** Cancels a command that is a future, such as those of {@code invokeAll}: somebody may wait. */
  @Override
  void onCancelled(@Nullable Object command) {
    if (command instanceof Future<?> future) {
      try {
        future.cancel(false);
      } catch (Throwable e) {
        onFailure(e); // and go on with the other tasks
      }
    }
  }
}
