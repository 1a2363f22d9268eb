package dev.purgatory.answers;

import java.util.concurrent.CompletionStage;

/**
 * Signals that reach the waiters of all instances of a service: an event at one instance makes the
 * waiters of all others look again. Thread-safe.
 *
 * <pre>{@code
 * SharedSignals signals =
 *     new KafkaSignals(
 *         Map.of("bootstrap.servers", servers), "signals", polls::signal, applied::advance);
 *
 * void onPaid(String order) {
 *   orders.setPaid(order); // in a database that all instances read
 *   signals.signal(order); // here at once, and on all other instances
 * }
 * }</pre>
 *
 * <p>A signal is a hint, not a message: signals of one key that wait to be sent are merged, and so
 * are advances, of which the greatest number remains. A waiter that is held after an event sees it
 * in its condition, so no signal is kept for it.
 *
 * <p>The receivers of an instance are called with its own signals, on the thread that signals,
 * before the call returns, and with the signals of other instances, on a thread of the
 * implementation: so by several threads at once. An exception of a receiver is logged, and changes
 * nothing else.
 */
public interface SharedSignals extends AutoCloseable {

  /**
   * Signals an event on a key. Call it after the event has taken effect for all instances.
   *
   * @param key the key of the event
   * @return completes when the signal is stored where the others read it; fails if they may not get
   *     it. It can be ignored: losses are logged. No dependent may block
   */
  CompletionStage<Void> signal(String key);

  /**
   * Advances the number of a key, as {@link dev.purgatory.Thresholds#advance} does.
   *
   * @param key the key
   * @param number the number that is reached; greater than {@link Long#MIN_VALUE}
   * @return as for {@link #signal}
   * @throws IllegalArgumentException if the number is {@link Long#MIN_VALUE}
   */
  CompletionStage<Void> advance(String key, long number);

  /**
   * Ends receiving and sending. A later signal is received here only, and its future fails with an
   * {@link IllegalStateException}.
   */
  @Override
  void close();
}
