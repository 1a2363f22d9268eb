package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys that an attacker chooses. */
class KeyFloodTest {
  private final Timer timer = Timer.builder().ticker(new ManualTicker()).build();
  private final Purgatory<Object> purgatory =
      Purgatory.builder("flood", Object.class).timer(timer).build();

  @AfterEach
  void close() {
    purgatory.close();
    timer.close();
  }

  @Test
  void aMillionKeysOfWhichFewAreInUse_areRemoved() {
    int inUse = 100;
    List<RecordingOperation> held = new ArrayList<>();
    for (int key = 0; key < 1_000_000; key++) {
      RecordingOperation operation = new RecordingOperation(1_000);
      purgatory.hold(operation, List.of(key));
      held.add(operation);
      if (held.size() == inUse) {
        held.forEach(DelayedOperation::cancel);
        held.clear();
      }
    }
    // Once the purge thread is done, too few ended operations remain to start another purge.
    Threads.until(
        () -> purgatory.inspect().keys() <= 1_000 && purgatory.inspect().watched() <= 1_000);
    assertThat(purgatory.pending()).isZero();
  }

  @Test
  void equalHashCodes_areFoundInLogarithmicTime() {
    int keys = 50_000;
    AtomicLong comparisons = new AtomicLong();
    for (int i = 0; i < keys; i++) {
      purgatory.hold(new RecordingOperation(1_000), List.of(new Colliding(i, comparisons)));
    }
    assertThat(purgatory.inspect().keys()).isEqualTo(keys);
    assertThat(comparisons.get() / keys).isLessThan(200);
    assertThat(purgatory.cancelAll()).hasSize(keys);
    purgatory.core().purge();
    Threads.until(() -> purgatory.inspect().keys() == 0);
  }

  private static final class Colliding implements Comparable<Colliding> {
    private final int number;
    private final AtomicLong comparisons;

    Colliding(int number, AtomicLong comparisons) {
      this.number = number;
      this.comparisons = comparisons;
    }

    @Override
    public int compareTo(Colliding other) {
      comparisons.incrementAndGet();
      return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Colliding colliding && colliding.number == number;
    }

    @Override
    public int hashCode() {
      return 7;
    }
  }
}
