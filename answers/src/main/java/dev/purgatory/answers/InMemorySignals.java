package dev.purgatory.answers;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/**
 * Connects instances in one process, for tests and for a service with one instance. All receivers
 * are called on the thread that signals, before the call returns. Thread-safe.
 *
 * <pre>{@code
 * InMemorySignals network = new InMemorySignals();
 * SharedSignals here = network.connect(polls::signal, applied::advance);
 * SharedSignals there = network.connect(otherPolls::signal, otherApplied::advance);
 * }</pre>
 */
public final class InMemorySignals {
  private final List<Instance> instances = new CopyOnWriteArrayList<>();

  /** Creates a network without instances. */
  public InMemorySignals() {}

  /**
   * Connects an instance.
   *
   * @param onSignal gets each key that an instance signals
   * @param onAdvance gets each key and number that an instance advances
   * @return signals to all instances that are connected
   */
  public SharedSignals connect(
      Consumer<? super String> onSignal, ObjLongConsumer<? super String> onAdvance) {
    Instance instance = new Instance(new Hint.Receivers(onSignal, onAdvance));
    instances.add(instance);
    return instance;
  }

  private final class Instance implements SharedSignals {
    private final Hint.Receivers receivers;

    Instance(Hint.Receivers receivers) {
      this.receivers = receivers;
    }

    @Override
    public CompletionStage<Void> signal(String key) {
      return tell(new Hint(key, false), 0);
    }

    @Override
    public CompletionStage<Void> advance(String key, long number) {
      return tell(Hint.ofAdvance(key, number), number);
    }

    private CompletionStage<Void> tell(Hint hint, long number) {
      receivers.receive(hint, number);
      if (!instances.contains(this)) {
        return CompletableFuture.failedStage(new IllegalStateException("signals are closed"));
      }
      for (Instance each : instances) {
        if (each != this) {
          each.receivers.receive(hint, number);
        }
      }
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
      instances.remove(this);
    }
  }
}
