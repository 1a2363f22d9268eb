package dev.purgatory.watch;

import org.jspecify.annotations.Nullable;

/**
 * Stands for the waiters on a hidden key. A thread that walks a list with a forwarder on it then
 * walks the list of the hidden key. Nothing evaluates it, and it waits in no timer.
 */
public final class Forwarder extends Waiter {
  private static final int ENDED = 1 << BITS;

  /**
   * Creates a forwarder that is on no list.
   *
   * @param to the hidden key
   */
  public Forwarder(HiddenKey to) {
    super(to);
  }

  /**
   * Returns the hidden key.
   *
   * @return null once this is cleared
   */
  public @Nullable HiddenKey to() {
    return (HiddenKey) referent();
  }

  /**
   * Ends this, before it is cleared.
   *
   * @return true for the first caller
   */
  public boolean beginEnd() {
    return (setBits(ENDED) & ENDED) == 0;
  }

  @Override
  public boolean isEnded() {
    return (state() & ENDED) != 0;
  }

  @Override
  public void onTimeout() {
    throw new IllegalStateException("a forwarder has no timeout");
  }
}
