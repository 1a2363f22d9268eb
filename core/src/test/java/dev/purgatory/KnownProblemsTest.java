package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Problems that users of other purgatories and timers have reported, which no other test covers.
 * The page {@code docs/evidence/comparison.md} names the test for each problem.
 */
class KnownProblemsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<String> purgatory = purgatory("problems");

  private Purgatory<String> purgatory(String name) {
    return Purgatory.builder(name, String.class)
        .timer(timer)
        .expirationExecutor(Runnable::run)
        .build();
  }

  private void advance(Duration by) {
    ticker.advance(by);
    timer.advance();
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(purgatory.pending()).isZero();
    purgatory.close();
  }

  /** The ways in which a request that holds a large answer ends. */
  enum End {
    SIGNAL,
    TIMEOUT,
    CANCEL,
    FAIL
  }

  /** One of a thousand keys is signalled; the others never are. */
  @ParameterizedTest
  @EnumSource
  void requestOnAThousandKeys_hasEnded_isUnreachableAtOnce(End end) {
    holdAndEnd(end).forEach(KnownProblemsTest::assertUnreachable);
  }

  /** Returns the request, and the response that it holds. */
  private List<WeakReference<?>> holdAndEnd(End end) {
    byte[] response = new byte[1 << 16];
    CountDownLatch ready = new CountDownLatch(1);
    HeldFuture<byte[]> held =
        purgatory
            .until(() -> ready.getCount() == 0 ? response : null)
            .orAfter(LIMIT, () -> response)
            .hold(IntStream.range(0, 1_000).mapToObj(String::valueOf).toList());
    assertThat(held).isNotDone();
    switch (end) {
      case SIGNAL -> {
        ready.countDown();
        assertThat(purgatory.signal("7")).isEqualTo(1);
      }
      case TIMEOUT -> advance(LIMIT);
      case CANCEL -> assertThat(held.cancel(false)).isTrue();
      case FAIL -> assertThat(purgatory.failForKey("7", new IllegalStateException())).hasSize(1);
    }
    assertThat(held).isDone();
    return List.of(new WeakReference<>(held), new WeakReference<>(response));
  }

  /** A timer often outlives the purgatories on it. */
  @Test
  void closedPurgatory_onATimerThatStaysOpen_isUnreachable() {
    assertUnreachable(holdAndClose());
    assertThat(timer.size()).isZero();
  }

  private WeakReference<Purgatory<String>> holdAndClose() {
    Purgatory<String> closed = purgatory("closed");
    HeldFuture<String> held =
        closed.<String>until(() -> null).orTimeout(Duration.ofDays(1)).hold("a");
    closed.close();
    assertThat(held).isCompletedExceptionally();
    return new WeakReference<>(closed);
  }

  private static void assertUnreachable(WeakReference<?> reference) {
    Threads.until(
        () -> {
          System.gc();
          return reference.refersTo(null);
        });
  }

  /** How a stage with a time limit ends. */
  static Stream<Consumer<CompletableFuture<String>>> endsOfAStage() {
    return Stream.of(
        stage -> stage.complete("x"),
        stage -> stage.completeExceptionally(new IllegalStateException()),
        stage -> stage.cancel(false));
  }

  /** Not only a stage that succeeds must cancel its timeout. */
  @Test
  void stageWithATimeLimit_anyEnd_leavesTheTimerAtOnce() {
    endsOfAStage()
        .forEach(
            end -> {
              CompletableFuture<String> stage = new CompletableFuture<>();
              HeldFuture<String> timed = purgatory.timeout(stage, LIMIT);
              assertThat(timer.size()).isEqualTo(1);
              end.accept(stage);
              assertThat(timed).isDone();
              assertThat(timer.size()).isZero();
            });
    HeldFuture<String> cancelled = purgatory.timeout(new CompletableFuture<>(), LIMIT);
    assertThat(cancelled.cancel(false)).isTrue();
    assertThat(timer.size()).isZero();
  }

  /** There is no queue between callers and the wheels whose capacity could be exceeded. */
  @Test
  void withoutALimit_manyRequestsAreHeld_andTimeOutTogether() {
    int many = 200_000;
    AtomicInteger answers = new AtomicInteger();
    for (int i = 0; i < many; i++) {
      HeldFuture<Integer> unused =
          purgatory.<Integer>until(() -> null).orAfter(LIMIT, answers::incrementAndGet).hold("a");
    }
    assertThat(purgatory.pending()).isEqualTo(many);
    advance(LIMIT);
    assertThat(answers).hasValue(many);
  }

  /** A client wants at least some bytes, or after a while what there is. */
  @Test
  void longPollWithAMinimumSize_waitsForIt_andTakesWhatThereIsAtTheTimeout() {
    StringBuilder log = new StringBuilder();
    Hold<String, String> poll =
        purgatory
            .until(() -> log.length() >= 10 ? log.toString() : null)
            .orAfter(LIMIT, log::toString);

    HeldFuture<String> enough = poll.hold("log");
    log.append("12345");
    assertThat(purgatory.signal("log")).isZero();
    assertThat(enough).isNotDone();
    log.append("67890");
    assertThat(purgatory.signal("log")).isEqualTo(1);
    assertThat(enough).isCompletedWithValue("1234567890");

    log.setLength(0);
    HeldFuture<String> tooLittle = poll.hold("log");
    log.append("12");
    assertThat(purgatory.signal("log")).isZero();
    advance(LIMIT);
    assertThat(tooLittle).isCompletedWithValue("12");
  }

  private @Nullable String latest = "old";

  @Test
  void answerAtTheTimeout_isComputedThen_notWhenTheRequestIsHeld() {
    HeldFuture<String> held =
        purgatory.<String>until(() -> null).orAfter(LIMIT, () -> "" + latest).hold("a");
    latest = "new";
    advance(LIMIT);
    assertThat(held).isCompletedWithValue("new");
  }

  /** Thread dumps and dashboards find a purgatory by the names of its threads. */
  @Test
  void threads_haveTheNameOfTheirPurgatory() throws InterruptedException {
    try (Purgatory<String> named = Purgatory.builder("orders", String.class).build()) {
      CountDownLatch answered = new CountDownLatch(1);
      List<String> names = new ArrayList<>();
      HeldFuture<String> keepsTheClock = named.<String>untilCompleted().forever().hold("b");
      HeldFuture<String> held =
          named
              .<String>until(() -> null)
              .orAfter(
                  Duration.ofMillis(1),
                  () -> {
                    names.add(Thread.currentThread().getName());
                    assertThat(Threads.isAlive("purgatory-orders-clock")).isTrue();
                    return "done";
                  })
              .hold("a");
      CompletableFuture<String> unused = held.whenComplete((answer, error) -> answered.countDown());
      Threads.await(answered);
      assertThat(held.join()).isEqualTo("done");
      assertThat(names).containsExactly("purgatory-orders-expiration");
      assertThat(keepsTheClock).isNotDone();
    }
  }

  /** A leader steps down: everybody who waits for its partition is told, with the reason. */
  @Test
  void everythingOnAKey_isFailedWithTheCause_andLeavesTheTimer() {
    List<HeldFuture<String>> waiting =
        IntStream.range(0, 100)
            .mapToObj(
                i ->
                    purgatory
                        .<String>until(() -> null)
                        .orTimeout(LIMIT)
                        .hold("partition", "other-" + i))
            .toList();
    IllegalStateException cause = new IllegalStateException("not the leader any more");
    assertThat(purgatory.failForKey("partition", cause)).hasSize(100);
    assertThat(waiting).allSatisfy(each -> assertThatThrownBy(each::join).hasCause(cause));
    assertThat(timer.size()).isZero();
  }
}
