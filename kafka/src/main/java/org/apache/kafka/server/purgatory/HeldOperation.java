package org.apache.kafka.server.purgatory;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What the core holds in place of an operation of Kafka's. */
final class HeldOperation extends dev.purgatory.DelayedOperation {

  /*
   * Kafka's callers of tryCompleteElseWatch expect to get what tryComplete() throws there, and that the
   * operation is not held then. So an error on the adding thread is kept for it, in the field that
   * says which thread that is: one field, as there are very many of these objects. Other threads that
   * evaluate meanwhile or later find it to be something else than themselves, however stale it is.
   */

  private final DelayedOperation operation;

  /** The thread that adds the operation, then what the check on that thread has thrown, or null. */
  private @Nullable Object adderOrError = Thread.currentThread();

  HeldOperation(DelayedOperation operation, boolean timed) {
    super(timed ? operation.delayMs : Long.MAX_VALUE, TimeUnit.MILLISECONDS);
    this.operation = operation;
  }

  DelayedOperation operation() {
    return operation;
  }

  /** Takes the limit of time away. */
  void unschedule() {
    boolean unused = cancelTimeout();
  }

  /** Ends the time in which errors are kept, and returns the one that came. */
  @Nullable Throwable added() {
    Throwable error = adderOrError instanceof Throwable kept ? kept : null;
    adderOrError = null;
    return error;
  }

  @Override
  protected boolean tryComplete() {
    if (Thread.currentThread() != adderOrError) {
      return operation.evaluate(this);
    }
    try {
      return operation.evaluate(this);
    } catch (Throwable e) {
      adderOrError = e;
      cancel();
      return false;
    }
  }

  /** Kafka does not check an operation again when its time is up. */
  @Override
  protected boolean tryCompleteOnTimeout() {
    return false;
  }

  /** The operation has done what there is to do: see {@link DelayedOperation#forceComplete}. */
  @Override
  protected void onComplete() {}

  @Override
  protected void onExpiration() {
    operation.run();
  }

  @Override
  public String toString() {
    return operation.toString();
  }
}
