package dev.purgatory.answers;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.SignalQueue;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;

/** The samples of docs/use/signals-across-instances.md: one instance of a service. */
final class Orders {
  private final Map<String, String> database;

  Orders(Map<String, String> database, Purgatory<String> polls, SharedSignals signals) {
    this.database = database;
    this.polls = polls;
    this.signals = signals;
  }

  // sample: shared-signals
  private final Purgatory<String> polls;
  private final SharedSignals signals;

  HeldFuture<String> untilPaid(String order) {
    return polls
        .until(() -> database.get(order)) // of all instances
        .recheckEvery(Duration.ofSeconds(10)) // if a signal is lost
        .orTimeout(Duration.ofSeconds(30))
        .hold(order);
  }

  void onPaid(String order, String receipt) {
    database.put(order, receipt);
    signals.signal(order); // here, and on all other instances
  }

  // end

  static SharedSignals overKafka(
      String servers, Purgatory<String> polls, Thresholds<String> applied, Executor executor) {
    // sample: shared-signals-kafka
    SignalQueue<String> events = new SignalQueue<>(polls, executor);
    SharedSignals signals =
        new KafkaSignals(
            Map.of("bootstrap.servers", servers), "signals", events::mark, applied::advance);
    // end
    return signals;
  }

  static SharedSignals ofNumbers(InMemorySignals network, Thresholds<Integer> applied) {
    // sample: shared-signals-numbers
    SharedSignals signals =
        network.connect(key -> {}, (key, offset) -> applied.advance(Integer.valueOf(key), offset));
    // end
    return signals;
  }
}
