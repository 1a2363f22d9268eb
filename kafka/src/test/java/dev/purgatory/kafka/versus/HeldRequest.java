package dev.purgatory.kafka.versus;

import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;

/** The plainest operation: it can be answered once {@link #answerable} says so. */
class HeldRequest extends DelayedOperation {
  private volatile boolean answerable;

  HeldRequest(long delayMs) {
    super(delayMs);
  }

  void answerable() {
    answerable = true;
  }

  @Override
  public boolean tryComplete() {
    return answerable && forceComplete();
  }

  @Override
  public void onComplete() {}

  @Override
  public void onExpiration() {}

  /** A key that is equal to any other of the same name. */
  record Key(String keyLabel) implements DelayedOperationKey {}
}
