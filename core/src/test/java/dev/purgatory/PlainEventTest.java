package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Promise 2 for events that are plain stores. Without a fence between such a store and the search
 * of the watch lists, a signal misses about thirty operations in a million.
 */
class PlainEventTest {
  private static final int BATCHES = 300;
  private static final int OPERATIONS = 1_000;

  private static final class PlainEvent extends DelayedOperation {
    private boolean happened; // neither volatile nor guarded, on purpose

    PlainEvent() {
      super(Duration.ofDays(1));
    }

    @Override
    protected boolean isReady() {
      return happened;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}
  }

  /** Makes two threads begin each round as close together as possible. */
  private static final class Starter {
    private final AtomicInteger one = new AtomicInteger(-1);
    private final AtomicInteger other = new AtomicInteger(-1);

    private static void meet(AtomicInteger mine, AtomicInteger others, int round) {
      mine.set(round);
      for (int spins = 0; others.get() < round; spins++) {
        if (spins < 1_000) {
          Thread.onSpinWait();
        } else {
          LockSupport.parkNanos(1_000); // the other thread may need this processor
        }
      }
    }

    void one(int round) {
      meet(one, other, round);
      for (int i = round * 7 % 60; i > 0; i--) {
        Thread.onSpinWait();
      }
    }

    void other(int round) {
      meet(other, one, round);
    }
  }

  @Test
  void promise2_eventIsAPlainStore_isNotLost() throws InterruptedException {
    Purgatory<Integer> purgatory =
        Purgatory.builder("plain", Integer.class).timer(Timer.builder().build()).build();
    Threads.repeat(BATCHES, batch -> raceBatch(purgatory, batch * OPERATIONS));
    assertThat(purgatory.pending()).isZero();
  }

  private static void raceBatch(Purgatory<Integer> purgatory, int firstKey)
      throws InterruptedException {
    Integer[] keys = new Integer[OPERATIONS];
    PlainEvent[] operations = new PlainEvent[OPERATIONS];
    for (int i = 0; i < OPERATIONS; i++) {
      keys[i] = firstKey + i;
      operations[i] = new PlainEvent();
    }
    Starter starter = new Starter();
    Threads.race(
        () -> {
          for (int i = 0; i < OPERATIONS; i++) {
            starter.one(i);
            operations[i].happened = true;
            purgatory.signal(keys[i]);
          }
        },
        () -> {
          for (int i = 0; i < OPERATIONS; i++) {
            starter.other(i);
            purgatory.hold(operations[i], List.of(keys[i]));
          }
        });
    assertThat(operations).allMatch(operation -> operation.outcome() == Outcome.COMPLETED);
  }
}
