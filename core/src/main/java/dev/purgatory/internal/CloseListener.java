package dev.purgatory.internal;

/** Is told that a timer is closed. */
@FunctionalInterface
public interface CloseListener {

  /** Called once, by the thread that closes the timer, without a lock. */
  void onClosed();
}
