package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.console.WakeUps.Place;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds a thread up between a signal and an answer, and lets it go on. */
@Timeout(60)
class WakeUpsTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicReference<@Nullable String> value = new AtomicReference<>();
  private final WakeUps wakeUps = new WakeUps();

  @AfterEach
  void goOn() {
    released.countDown();
  }

  private void waitHere() {
    entered.countDown();
    try {
      released.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private @Nullable String slowCondition() {
    if (value.get() != null) {
      waitHere();
    }
    return value.get();
  }

  @ParameterizedTest
  @EnumSource(names = {"CONDITION", "ANSWER", "EXECUTOR"})
  void threadThatWaits_isFound_untilItGoesOn(Place place) throws Exception {
    try (Purgatory<String> polls =
        Purgatory.builder("polls", String.class)
            .completionExecutor(
                task -> {
                  if (place == Place.EXECUTOR) {
                    waitHere();
                  }
                  task.run();
                })
            .build()) {
      HeldFuture<String> poll =
          polls
              .until(() -> place == Place.CONDITION ? slowCondition() : value.get())
              .forever()
              .hold("a");
      CompletableFuture<Void> answered =
          poll.thenAccept(
              answer -> {
                if (place == Place.ANSWER) {
                  waitHere();
                }
              });
      wakeUps.take(0);
      assertThat(wakeUps.seen()).as("it only waits for an event").isEmpty();
      value.set("x");
      Thread signalling = new Thread(() -> assertThat(polls.signal("a")).isOne(), "signals");
      signalling.start();
      entered.await();
      while (signalling.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      for (int i = 1; i <= 10; i++) {
        wakeUps.take(i * MINUTE / 30);
        assertThat(wakeUps.findings()).hasSize(i < 5 ? 0 : 1);
      }
      assertThat(wakeUps.samples()).isEqualTo(11);
      assertThat(wakeUps.seen().keySet())
          .singleElement()
          .satisfies(
              site -> {
                assertThat(site.place()).isEqualTo(place);
                assertThat(site.code()).startsWith("dev.purgatory.console.WakeUpsTest.");
              });
      assertThat(wakeUps.findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.kind()).isEqualTo("slow-" + place);
                assertThat(finding.evidence())
                    .contains("In 10 of 11 samples", "for java.util.concurrent.CountDownLatch");
                assertThat(finding.hint()).contains("Look at WakeUpsTest.java:");
              });
      released.countDown();
      signalling.join();
      answered.join();
      for (int i = 11; i <= 41; i++) {
        wakeUps.take(i * MINUTE / 30);
      }
      assertThat(wakeUps.findings()).isEmpty();
      assertThat(wakeUps.seen()).isEmpty();
    }
  }

  @Test
  void answerThatWaitsOnAnExecutor_isSeen_andNoFinding() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (Purgatory<String> polls =
        Purgatory.builder("polls", String.class).completionExecutor(pool).build()) {
      CompletableFuture<Void> answered =
          polls.until(value::get).forever().hold("a").thenAccept(answer -> waitHere());
      value.set("x");
      assertThat(polls.signal("a")).isOne();
      entered.await();
      for (int i = 0; i < 10; i++) {
        wakeUps.take(i * MINUTE / 30);
      }
      released.countDown();
      answered.join();
      assertThat(wakeUps.seen().keySet())
          .singleElement()
          .satisfies(site -> assertThat(site.place()).isEqualTo(Place.ANSWER));
      assertThat(wakeUps.findings()).isEmpty();
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void busyCondition_isSeen_andNoFinding() throws Exception {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build()) {
      HeldFuture<String> poll = polls.until(this::busyCondition).forever().hold("a");
      value.set("x");
      Thread signalling = new Thread(() -> assertThat(polls.signal("a")).isOne(), "signals");
      signalling.start();
      entered.await();
      for (int i = 0; i < 10; i++) {
        wakeUps.take(i * MINUTE / 30);
      }
      released.countDown();
      signalling.join();
      assertThat(poll).isDone();
      assertThat(wakeUps.seen().values())
          .singleElement()
          .satisfies(seen -> assertThat(seen.running()).isEqualTo(10));
      assertThat(wakeUps.findings()).isEmpty();
    }
  }

  /** Signals its own key, which makes it be checked again, for ever. */
  private @Nullable String signalsItself(Purgatory<String> polls) {
    if (released.getCount() > 0) {
      assertThat(polls.signal("a")).isZero();
    }
    return null;
  }

  @Test
  void conditionThatSignalsItself_isFound() {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build()) {
      assertThat(polls.until(() -> signalsItself(polls)).forever().hold("a")).isNotDone();
      while (wakeUps.findings().isEmpty()) {
        wakeUps.take(0);
      }
      assertThat(wakeUps.findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.kind()).isEqualTo("signalling-condition");
                assertThat(finding.title()).endsWith("WakeUpsTest.signalsItself");
                assertThat(finding.hint()).contains("Look at WakeUpsTest.java:");
              });
      released.countDown();
    }
  }

  private @Nullable String busyCondition() {
    if (value.get() != null) {
      entered.countDown();
      while (released.getCount() > 0) {
        Thread.onSpinWait();
      }
    }
    return value.get();
  }
}
