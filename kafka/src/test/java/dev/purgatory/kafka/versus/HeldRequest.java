package dev.purgatory.kafka.versus;

import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;

/** A minimal operation that can be completed after {@link #answerable} was called. */
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

  /** A key, identified by its name. */
  record Key(String keyLabel) implements DelayedOperationKey {}
}
