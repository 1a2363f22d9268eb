package dev.purgatory.benchmarks.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of all contenders that wait for a number. */
@ParameterizedClass
@MethodSource("rivals")
class NumberWaitersTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final int MANY = 2000;

  private final NumberWaiters waiters;

  NumberWaitersTest(Rival<NumberWaiters> rival) {
    waiters = rival.start().get();
  }

  static Stream<Rival<NumberWaiters>> rivals() {
    return Lineup.NUMBERS.rivals().stream();
  }

  @AfterEach
  void close() {
    waiters.close();
  }

  @Test
  void advanceCompletesThoseThatItReaches() {
    CompletableFuture<Long> five = waiters.await(5, LONG);
    CompletableFuture<Long> alsoFive = waiters.await(5, LONG);
    CompletableFuture<Long> six = waiters.await(6, LONG);
    assertThat(waiters.advance(4)).isZero();

    assertThat(waiters.advance(5)).isEqualTo(2);

    assertThat(five).isCompletedWithValue(5L);
    assertThat(alsoFive).isCompletedWithValue(5L);
    assertThat(six).isNotDone();
    assertThat(waiters.pending()).isEqualTo(1);
    assertThat(waiters.advance(9)).isEqualTo(1);
    assertThat(six).isCompletedWithValue(9L);
    assertThat(waiters.pending()).isZero();
  }

  @Test
  void reachedNumberIsAnsweredAtOnce() {
    waiters.advance(7);

    assertThat(waiters.await(7, LONG)).isCompletedWithValue(7L);
    assertThat(waiters.pending()).isZero();
  }

  @Test
  void cancelledFutureIsFreed() {
    assertThat(waiters.await(5, LONG).cancel(false)).isTrue();

    assertThat(waiters.pending()).isZero();
    assertThat(waiters.advance(5)).isZero();
  }

  @Test
  void waiterTimesOutAndIsFreed() throws InterruptedException {
    CompletableFuture<Long> future = waiters.await(5, Duration.ofMillis(20));
    Eventually.await(() -> future.isDone() && waiters.pending() == 0);

    assertThatThrownBy(future::get).hasCauseInstanceOf(TimeoutException.class);
    assertThat(waiters.advance(5)).isZero();
  }

  @Test
  void noWaiterIsMissedByAnAdvanceThatRacesWithIt() throws InterruptedException {
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    Thread advancing =
        new Thread(
            () -> {
              for (long number = 1; number <= MANY; number++) {
                waiters.advance(number);
              }
            });
    advancing.start();
    for (long number = 1; number <= MANY; number++) {
      futures.add(waiters.await(number, LONG));
    }
    advancing.join();

    assertThat(futures).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
    assertThat(waiters.pending()).isZero();
  }
}
