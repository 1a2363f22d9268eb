package dev.purgatory.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThrottlesTest {
  private static final Duration TICK = Duration.ofMillis(1);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<String> purgatory =
      Purgatory.builder("uploads", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();

  /** One in 10 ms, and 10 at once. */
  private final Throttles<String> throttles =
      new Throttles<>(purgatory, timer, new Rate(100, Duration.ofSeconds(1), 10), Runnable::run);

  @AfterEach
  void nothingIsLeft() {
    purgatory.close();
    throttles.rate(Rate.unlimited());
    for (String key : List.of("a", "b")) {
      throttles.resetRate(key);
    }
    pass(TICK);
    assertThat(throttles.keys()).isZero();
    assertThat(purgatory.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  private void passMillis(long millis) {
    pass(Duration.ofMillis(millis));
  }

  private List<HeldFuture<Long>> acquire(String key, int count) {
    List<HeldFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      futures.add(throttles.acquire(key, 1));
    }
    return futures;
  }

  private static long done(List<HeldFuture<Long>> futures) {
    return futures.stream().filter(CompletableFuture::isDone).count();
  }

  @Test
  void burst_atOnce_thenOneByOne_inOrder() {
    List<HeldFuture<Long>> futures = acquire("a", 30);
    for (int i = 10; i < 30; i++) {
      assertThat(done(futures)).isEqualTo(i);
      ticker.advance(Duration.ofMillis(10).toNanos() - 1);
      timer.advance();
      assertThat(done(futures)).as("1 ns early").isEqualTo(i);
      ticker.advance(1);
      timer.advance();
      assertThat(futures.get(i)).isCompletedWithValue(1L);
    }
    assertThat(done(futures)).isEqualTo(30);
  }

  @Test
  void lateClock_releasesWhatIsDue_andNoMore() {
    List<HeldFuture<Long>> futures = acquire("a", 100);
    passMillis(255);
    assertThat(done(futures)).isEqualTo(10 + 25);
    passMillis(5);
    assertThat(done(futures)).isEqualTo(10 + 26);
    passMillis(1_000_000);
    assertThat(done(futures)).isEqualTo(100);
    assertThat(throttles.available("a")).isEqualTo(10);
  }

  @Test
  void rateFasterThanTheTick_isReached_howeverSmallTheBurst() {
    throttles.rate("a", new Rate(10_000, Duration.ofSeconds(1), 1));
    List<HeldFuture<Long>> futures = acquire("a", 1_000);
    for (int i = 0; i < 99; i++) {
      assertThat(done(futures)).isEqualTo(1 + 10 * i);
      pass(TICK);
    }
    passMillis(1);
    assertThat(done(futures)).isEqualTo(1_000);
  }

  @Test
  void keys_doNotAffectEachOther() {
    List<HeldFuture<Long>> a = acquire("a", 20);
    assertThat(done(acquire("b", 10))).isEqualTo(10);
    assertThat(done(a)).isEqualTo(10);
    passMillis(10);
    assertThat(done(a)).isEqualTo(11);
    assertThat(throttles.acquire("b", 1)).isDone();
  }

  @Test
  void smallRequest_doesNotOvertakeALargeOne() {
    acquire("a", 10);
    HeldFuture<Long> large = throttles.acquire("a", 5);
    HeldFuture<Long> small = throttles.acquire("a", 1);
    assertThat(throttles.tryAcquire("a", 0)).isFalse();
    assertThat(throttles.waiting("a")).isEqualTo(2);
    passMillis(49);
    assertThat(throttles.tryAcquire("a", 1)).isFalse();
    assertThat(small).isNotDone();
    passMillis(1);
    assertThat(large).isCompletedWithValue(5L);
    assertThat(small).isNotDone();
    passMillis(10);
    assertThat(small).isCompletedWithValue(1L);
  }

  @Test
  void cancelledInTheMiddle_freesItsShare() {
    acquire("a", 10);
    HeldFuture<Long> first = throttles.acquire("a", 1);
    HeldFuture<Long> cancelled = throttles.acquire("a", 8);
    HeldFuture<Long> last = throttles.acquire("a", 1);
    assertThat(cancelled.cancel(false)).isTrue();
    assertThat(throttles.waiting("a")).isEqualTo(2);
    passMillis(10);
    assertThat(first).isDone();
    assertThat(last).isNotDone();
    passMillis(10);
    assertThat(last).isDone();
  }

  @Test
  void cancelledWhileTheOneBeforeIsAnswered_freesItsShareAtOnce() {
    assertThat(done(acquire("a", 10))).isEqualTo(10);
    HeldFuture<Long> before = throttles.acquire("a", 1);
    HeldFuture<Long> cancelled = throttles.acquire("a", 1);
    List<Object> seen = new ArrayList<>();
    var answered =
        before.thenRun(
            () -> {
              ticker.advance(Duration.ofMillis(10));
              seen.add(throttles.waiting("a")); // it is due, and its turn comes after this
              seen.add(cancelled.cancel(false));
              seen.add(throttles.waiting("a"));
              seen.add(throttles.tryAcquire("a", 1));
            });
    passMillis(10);
    assertThat(answered).isCompleted();
    assertThat(seen).containsExactly(1, true, 0, true);
  }

  @Test
  void cancelledHead_letsTheNextOneGo_atTheTickAtTheLatest() {
    acquire("a", 10);
    HeldFuture<Long> head = throttles.acquire("a", 8);
    HeldFuture<Long> next = throttles.acquire("a", 2);
    passMillis(50);
    assertThat(next).isNotDone();
    head.cancel(false);
    pass(TICK);
    assertThat(next).isDone();
    assertThat(throttles.available("a")).isEqualTo(3);
  }

  @Test
  void disconnect_cancelsEverythingOfAKey() {
    List<HeldFuture<Long>> a = acquire("a", 30);
    List<HeldFuture<Long>> b = acquire("b", 11);
    assertThat(purgatory.cancelForKey("a")).hasSize(20);
    assertThat(throttles.waiting("a")).isZero();
    assertThat(done(a)).isEqualTo(30);
    assertThat(b.get(10)).isNotDone();
    assertThat(timer.size()).as("an alarm for the request on b").isEqualTo(1);
  }

  @Test
  void requestThatTheCallerCompletes_isNotCharged() {
    acquire("a", 10);
    HeldFuture<Long> own = throttles.acquire("a", 5);
    HeldFuture<Long> next = throttles.acquire("a", 1);
    own.complete(0L);
    passMillis(10);
    assertThat(next).isDone();
  }

  @Test
  void timeLimit_endsTheWait_withoutACharge() {
    acquire("a", 10);
    HeldFuture<Long> impatient = throttles.acquire("a", 5, Duration.ofMillis(20));
    HeldFuture<Long> patient = throttles.acquire("a", 5, Duration.ofMillis(60));
    assertThat(throttles.acquire("a", 1, Duration.ZERO).cause())
        .isInstanceOf(TimeoutException.class);
    passMillis(20);
    assertThat(impatient.cause()).isInstanceOf(TimeoutException.class);
    assertThat(throttles.waiting("a")).isEqualTo(1);
    passMillis(29);
    assertThat(patient).isNotDone();
    passMillis(1);
    assertThat(patient).isCompletedWithValue(5L);
  }

  @Test
  void rate_changesForThoseWhoWait() {
    List<HeldFuture<Long>> futures = acquire("a", 100);
    throttles.rate("a", new Rate(1_000, Duration.ofSeconds(1), 10)); // up
    passMillis(5);
    assertThat(done(futures)).isEqualTo(15);
    throttles.rate("a", Rate.perSecond(10)); // down
    passMillis(99);
    assertThat(done(futures)).isEqualTo(15);
    passMillis(1);
    assertThat(done(futures)).isEqualTo(16);
    throttles.rate("a", Rate.paused());
    passMillis(1_000_000);
    assertThat(done(futures)).isEqualTo(16);
    assertThat(timer.size()).as("no alarm while it is paused").isZero();
    throttles.resetRate("a");
    passMillis(10);
    assertThat(done(futures)).isEqualTo(17);
    throttles.rate("a", Rate.unlimited());
    pass(TICK);
    assertThat(done(futures)).isEqualTo(100);
  }

  @Test
  void usualRate_changesForKeysWithoutTheirOwn() {
    throttles.rate("a", new Rate(100, Duration.ofSeconds(1), 10));
    List<HeldFuture<Long>> a = acquire("a", 20);
    List<HeldFuture<Long>> b = acquire("b", 20);
    throttles.rate(Rate.unlimited());
    pass(TICK);
    assertThat(done(a)).isEqualTo(10);
    assertThat(done(b)).isEqualTo(20);
    throttles.rate(Rate.paused());
    assertThat(throttles.acquire("b", 0)).isNotDone();
    assertThat(throttles.keys()).isEqualTo(2);
  }

  @Test
  void requestForMoreThanTheBurst_leavesADebt() {
    HeldFuture<Long> large = throttles.acquire("a", 25);
    assertThat(large).isCompletedWithValue(25L);
    assertThat(throttles.available("a")).isEqualTo(-15);
    HeldFuture<Long> next = throttles.acquire("a", 25);
    passMillis(249);
    assertThat(next).isNotDone();
    passMillis(1);
    assertThat(next).isDone();
    assertThat(throttles.available("a")).isEqualTo(-15);
  }

  @Test
  void charge_delaysTheNextRequests() {
    throttles.charge("a", 13);
    HeldFuture<Long> answer = throttles.acquire("a", 0);
    passMillis(29);
    assertThat(answer).isNotDone();
    passMillis(1);
    assertThat(answer).isCompletedWithValue(0L);
    assertThat(throttles.available("a")).isZero();
  }

  @Test
  void charge_whileRequestsWait_movesTheirReleaseBack() {
    acquire("a", 10);
    HeldFuture<Long> waiting = throttles.acquire("a", 1);
    throttles.charge("a", 2);
    passMillis(29);
    assertThat(waiting).isNotDone();
    passMillis(1);
    assertThat(waiting).isDone();
  }

  @Test
  void giveBack_releases_andIsLimitedByTheBurst() {
    acquire("a", 10);
    HeldFuture<Long> waiting = throttles.acquire("a", 4);
    throttles.giveBack("a", 4);
    pass(TICK);
    assertThat(waiting).isDone();
    throttles.giveBack("a", Long.MAX_VALUE);
    assertThat(throttles.available("a")).isEqualTo(10);
    assertThat(throttles.keys()).isZero();
    throttles.giveBack("a", 1);
    assertThat(throttles.keys()).isZero();
  }

  @Test
  void amountsThatOverflow_areSaturated() {
    throttles.charge("a", Long.MAX_VALUE);
    throttles.charge("a", Long.MAX_VALUE);
    assertThat(throttles.available("a")).isEqualTo(-Rate.MOST);
    HeldFuture<Long> never = throttles.acquire("a", Long.MAX_VALUE);
    pass(Duration.ofDays(36_500));
    assertThat(never).isNotDone();
  }

  @Test
  void quotaThatIsFull_isForgotten() {
    acquire("a", 1);
    throttles.charge("b", 3);
    assertThat(throttles.keys()).isEqualTo(2);
    passMillis(10);
    assertThat(throttles.keys()).isEqualTo(1);
    passMillis(20);
    assertThat(throttles.keys()).isZero();
    assertThat(timer.size()).isZero();
  }

  @Test
  void burstOfKeys_leavesNothing_andIdleThrottlesDoNothing() {
    for (int i = 0; i < 100_000; i++) {
      assertThat(throttles.tryAcquire("key" + i, 1)).isTrue();
    }
    assertThat(throttles.keys()).isEqualTo(100_000);
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(100_000);
    assertThat(timer.size()).as("nothing that a user waits for").isZero();
    passMillis(10);
    assertThat(throttles.keys()).isZero();
    Threads.until(
        () -> {
          passMillis(1); // an attempt to shrink the table may be made again after a second
          return TimerInternals.of(timer).wheels().retained() == 0;
        });
  }

  @Test
  void busyKey_hasOneAlarm_thatIsNotMovedForEachRequest() {
    for (int i = 0; i < 10; i++) {
      acquire("a", 1);
    }
    assertThat(timer.size()).isZero();
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(1);
  }

  @Test
  void manyWaiters_onOneKey() {
    int count = 100_000;
    throttles.rate("a", Rate.per(1, TICK));
    List<HeldFuture<Long>> futures = acquire("a", count);
    assertThat(timer.size()).isEqualTo(1);
    for (int i = 1; i < count; i++) {
      assertThat(futures.get(i)).isNotDone();
      pass(TICK);
      assertThat(futures.get(i)).isDone();
    }
    assertThat(throttles.waiting("a")).isZero();
  }

  @Test
  void manyWaiters_cancelledFromTheFront() {
    throttles.rate("a", Rate.paused());
    List<HeldFuture<Long>> futures = acquire("a", 10_000);
    throttles.rate("a", Rate.per(1, Duration.ofDays(1)));
    futures.forEach(each -> each.cancel(false));
    assertThat(purgatory.pending()).isZero();
    assertThat(throttles.waiting("a")).isZero();
    assertThat(throttles.available("a")).isEqualTo(1);
  }

  @Test
  void callbacks_mayUseTheThrottles() {
    acquire("a", 10);
    HeldFuture<Long> last = throttles.acquire("b", 11);
    HeldFuture<Long> waiting = throttles.acquire("b", 1);
    AtomicInteger callbacks = new AtomicInteger();
    CompletableFuture<?> chain =
        throttles
            .acquire("a", 1)
            .thenCompose(
                amount -> {
                  callbacks.incrementAndGet();
                  throttles.rate("b", Rate.unlimited());
                  waiting.cancel(false);
                  return throttles.acquire("a", 1);
                });
    assertThat(last).isDone();
    passMillis(10);
    assertThat(callbacks).hasValue(1);
    assertThat(chain).isNotDone();
    passMillis(10);
    assertThat(chain).isDone();
  }

  @Test
  void newRequest_doesNotOvertakeThoseThatAreReleasedAndNotComplete() {
    acquire("a", 10);
    List<HeldFuture<Long>> due = acquire("a", 3);
    List<Integer> order = new ArrayList<>();
    List<HeldFuture<Long>> late = new ArrayList<>();
    unused(
        due.get(0)
            .thenRun(
                () -> {
                  order.add(0);
                  assertThat(throttles.waiting("a")).isEqualTo(2);
                  assertThat(throttles.tryAcquire("a", 1)).isFalse();
                  late.add(throttles.acquire("a", 1));
                  unused(late.get(0).thenRun(() -> order.add(3)));
                }));
    for (int i = 1; i < 3; i++) {
      int number = i;
      unused(due.get(i).thenRun(() -> order.add(number)));
    }
    List<Boolean> taken = new ArrayList<>();
    unused(due.get(2).thenRun(() -> taken.add(throttles.tryAcquire("a", 0))));
    passMillis(100);
    assertThat(taken).as("the late one waits").containsExactly(false);
    assertThat(order).containsExactly(0, 1, 2, 3);
    assertThat(throttles.waiting("a")).isZero();
    assertThat(throttles.available("a")).isEqualTo(6);
  }

  private static void unused(CompletableFuture<?> dependent) {
    assertThat(dependent).isNotNull();
  }

  @Test
  void callbackOfTheLastRequest_findsThatNobodyWaits() {
    acquire("a", 10);
    List<Boolean> taken = new ArrayList<>();
    HeldFuture<Long> last = throttles.acquire("a", 1);
    unused(last.thenRun(() -> taken.add(throttles.tryAcquire("a", 1))));
    passMillis(20);
    assertThat(taken).containsExactly(true);
  }

  /** A callback blocks, and others are due meanwhile. */
  @Test
  void executorWithSeveralThreads_completesRequestsInTheOrderOfTheirArrival() {
    List<Threads.Running> threads = Collections.synchronizedList(new ArrayList<>());
    Throttles<String> own =
        new Throttles<>(
            purgatory, timer, Rate.perSecond(100), task -> threads.add(Threads.start(task::run)));
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    assertThat(own.tryAcquire("a", 100)).isTrue();
    List<HeldFuture<Long>> futures = new ArrayList<>();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 10; i++) {
      int number = i;
      futures.add(own.acquire("a", 1));
      unused(
          futures
              .get(i)
              .thenRun(
                  () -> {
                    if (number == 0) {
                      entered.countDown();
                      Threads.until(() -> leave.getCount() == 0);
                    }
                    order.add(number);
                  }));
    }
    passMillis(10);
    Threads.until(() -> entered.getCount() == 0);
    passMillis(50);
    for (Threads.Running each : threads.subList(1, threads.size())) {
      Threads.until(() -> !each.thread().isAlive());
    }
    assertThat(done(futures)).isEqualTo(1);
    leave.countDown();
    Threads.until(() -> done(futures) == 6);
    passMillis(40);
    Threads.until(
        () -> {
          timer.advance(); // the thread before may set an alarm when it is due already
          return done(futures) == 10;
        });
    Threads.until(
        () -> {
          passMillis(10);
          return own.keys() == 0;
        });
    assertThat(order).isSorted().hasSize(10);
  }

  @Test
  void executorThatDropsARelease_isAskedAgain_andReleasesOnce() {
    List<Runnable> dropped = new ArrayList<>();
    Throttles<String> own =
        new Throttles<>(
            purgatory,
            timer,
            new Rate(100, Duration.ofSeconds(1), 10),
            task -> {
              dropped.add(task);
              if (dropped.size() % 2 == 0) {
                task.run();
              }
            });
    assertThat(own.tryAcquire("a", 10)).isTrue();
    HeldFuture<Long> waiting = own.acquire("a", 1);
    passMillis(10);
    assertThat(waiting).isNotDone();
    assertThat(own.tryAcquire("a", 0)).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(waiting).isDone();
    assertThat(own.available("a")).isEqualTo(10);
    dropped.forEach(Runnable::run);
    pass(Duration.ofSeconds(10));
    assertThat(own.keys()).isZero();
  }

  /** A pool that is shut down drops what is queued. */
  @Test
  void poolThatIsShutDownWhileAReleaseIsQueued_doesNotStopTheKey() throws InterruptedException {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    CountDownLatch leave = new CountDownLatch(1);
    pool.execute(() -> Threads.until(() -> leave.getCount() == 0));
    Throttles<String> own =
        new Throttles<>(purgatory, timer, new Rate(100, Duration.ofSeconds(1), 1), pool);
    assertThat(own.tryAcquire("a", 1)).isTrue();
    HeldFuture<Long> waiting = own.acquire("a", 1);
    passMillis(10);
    assertThat(pool.shutdownNow()).hasSize(1);
    leave.countDown();
    pass(Duration.ofSeconds(1));
    Threads.until(waiting::isDone);
    HeldFuture<Long> next = own.acquire("a", 1);
    Threads.until(
        () -> {
          passMillis(10);
          return next.isDone() && own.keys() == 0;
        });
  }

  @Test
  void callbackThatThrows_affectsNobodyElse() {
    List<HeldFuture<Long>> futures = acquire("a", 20);
    for (HeldFuture<Long> each : futures) {
      CompletableFuture<?> unused =
          each.thenRun(
              () -> {
                throw new IllegalStateException("callback");
              });
    }
    passMillis(100);
    assertThat(done(futures)).isEqualTo(20);
  }

  @Test
  void chainOfCancellations_fromCallbacks_takesABoundedStack() {
    throttles.rate("a", Rate.perSecond(1));
    List<HeldFuture<Long>> futures = acquire("a", 20_001);
    for (int i = 1; i < 20_000; i++) {
      HeldFuture<Long> next = futures.get(i + 1);
      CompletableFuture<?> unused = futures.get(i).thenRun(() -> throttles.giveBack("a", 1));
      assertThat(next).isNotDone();
    }
    for (int i = 0; i < 20_000; i++) {
      throttles.giveBack("a", 1);
      pass(TICK);
    }
    assertThat(done(futures)).isEqualTo(20_001);
  }

  @Test
  void close_endsThoseWhoWait_andRefusesOthers_withoutACharge() {
    List<HeldFuture<Long>> futures = acquire("a", 11);
    purgatory.close();
    assertThat(futures.get(10).cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(throttles.waiting("a")).isZero();
    passMillis(100);
    assertThat(throttles.acquire("a", 5).cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(throttles.acquire("a", 5).cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(throttles.acquire("a", 5).cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(throttles.available("a")).isEqualTo(10);
  }

  @Test
  void closedTimer_refusesRequestsThatWouldWait() {
    Timer other = Timer.builder().ticker(ticker).build();
    Throttles<String> closing = new Throttles<>(purgatory, other, Rate.perSecond(1));
    other.close();
    assertThat(closing.acquire("a", 2).cause()).hasMessage("the timer is closed");
    assertThat(closing.acquire("a", 1).cause()).hasMessage("the timer is closed");
    assertThat(closing.waiting("a")).isZero();
    assertThat(purgatory.pending()).isZero();
  }

  @Test
  void closedTimerOfThePurgatory_failsAllRequests_withoutACharge() {
    List<HeldFuture<Long>> futures = acquire("a", 11);
    assertThat(futures.get(10).cancel(false)).isTrue();
    timer.close();
    HeldFuture<Long> waiting = throttles.acquire("a", 5);
    assertThat(waiting.cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(waiting.outcome()).isEqualTo(Outcome.CLOSED);
    passMillis(100);
    assertThat(throttles.acquire("a", 5).outcome()).isEqualTo(Outcome.CLOSED);
    assertThat(throttles.available("a")).isEqualTo(10);
    assertThat(throttles.waiting("a")).isZero();
  }

  @Test
  @SuppressWarnings("NullAway") // passes null on purpose
  void badInput_throwsBeforeAnythingChanges() {
    assertThatThrownBy(() -> throttles.acquire("a", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("amount -1 is negative");
    assertThatThrownBy(() -> throttles.charge("a", -1)).hasMessage("amount -1 is negative");
    assertThatThrownBy(() -> throttles.giveBack("a", -1)).hasMessage("amount -1 is negative");
    assertThatThrownBy(() -> throttles.acquire(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> throttles.acquire("a", 1, null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> throttles.rate("a", null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> throttles.rate((Rate) null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new Throttles<>(purgatory, timer, null))
        .isInstanceOf(NullPointerException.class);
    assertThat(throttles.keys()).isZero();
    assertThat(throttles)
        .hasToString("Throttles[" + new Rate(100, Duration.ofSeconds(1), 10) + ", 0 keys]");
  }

  @Test
  void releasesRun_onAnotherThreadThanTheClock() throws InterruptedException {
    try (Timer clock = Timer.builder().start("test-clock");
        Purgatory<String> held = Purgatory.builder("held", String.class).timer(clock).build()) {
      Throttles<String> own = new Throttles<>(held, clock, Rate.per(1, Duration.ofMillis(5)));
      AtomicBoolean onClock = new AtomicBoolean();
      assertThat(own.acquire("a", 1)).isDone();
      CompletableFuture<?> released =
          own.acquire("a", 1)
              .thenRun(() -> onClock.set(Thread.currentThread().getName().equals("test-clock")));
      Threads.until(released::isDone);
      assertThat(onClock).isFalse();
      Threads.until(() -> own.keys() == 0);
    }
  }

  /** No time passes meanwhile, so the quota shows each token that is lost. */
  @Test
  void requestsCancelledWhileTheyAreReleased_areNotCharged() throws InterruptedException {
    int count = 2_000;
    Throttles<String> own =
        new Throttles<>(
            purgatory, timer, new Rate(count, Duration.ofHours(1), count), Runnable::run);
    for (int round = 0; round < 5; round++) {
      String key = "round " + round;
      assertThat(own.tryAcquire(key, count)).isTrue();
      List<HeldFuture<Long>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(own.acquire(key, 1));
      }
      ticker.advance(Duration.ofHours(1));
      Threads.race(timer::advance, () -> all.forEach(each -> each.cancel(false)));
      long released = all.stream().filter(each -> !each.isCancelled()).count();
      assertThat(own.waiting(key)).isZero();
      assertThat(own.available(key)).isEqualTo(count - released);
    }
    pass(Duration.ofHours(1));
    assertThat(own.keys()).isZero();
  }

  /** Requests of several threads, of which many are cancelled while they are released. */
  @Test
  void manyThreads_neverReleaseMoreThanTheRate_andLoseNothing() throws InterruptedException {
    try (Timer clock = Timer.builder().start("test-clock");
        Purgatory<String> held = Purgatory.builder("held", String.class).timer(clock).build()) {
      long perMilli = 20;
      long burst = 50;
      long begin = clock.now();
      Throttles<String> own =
          new Throttles<>(held, clock, new Rate(perMilli, Duration.ofMillis(1), burst));
      AtomicLong released = new AtomicLong();
      AtomicLong violations = new AtomicLong();
      List<List<HeldFuture<Long>>> all = new ArrayList<>();
      List<Threads.Task> tasks = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        List<HeldFuture<Long>> mine = new ArrayList<>();
        all.add(mine);
        tasks.add(
            () -> {
              ThreadLocalRandom random = ThreadLocalRandom.current();
              for (int i = 0; i < 4_000; i++) {
                HeldFuture<Long> future = own.acquire("a", 1 + random.nextInt(4));
                CompletableFuture<?> unused =
                    future.thenAccept(
                        amount -> {
                          long sum = released.addAndGet(amount);
                          long nanos = clock.now() - begin;
                          if (sum > burst + perMilli * nanos / 1_000_000) {
                            violations.incrementAndGet();
                          }
                        });
                mine.add(future);
                if (random.nextInt(2) == 0) {
                  mine.get(random.nextInt(mine.size())).cancel(false);
                }
              }
            });
      }
      Threads.race(tasks);
      for (List<HeldFuture<Long>> mine : all) {
        Threads.until(() -> done(mine) == mine.size());
      }
      assertThat(held.pending()).isZero();
      Threads.until(() -> own.waiting("a") == 0);
      assertThat(violations).hasValue(0);
      Threads.until(() -> own.keys() == 0); // so the quota is full, and nothing was lost
    }
  }

  @Test
  void rate_aKeyThrows_stillReachesTheOthers() {
    AtomicBoolean throwing = new AtomicBoolean();
    Object odd =
        new Object() {
          @Override
          public int hashCode() {
            if (throwing.get()) {
              throw new IllegalStateException("odd");
            }
            return "a".hashCode(); // the same bin: it is visited first
          }
        };
    try (Purgatory<Object> any =
        Purgatory.builder("any", Object.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .build()) {
      Throttles<Object> own =
          new Throttles<>(any, timer, new Rate(100, Duration.ofSeconds(1), 10), Runnable::run);
      own.charge(odd, 5); // with a greater rate, nothing of it is left to keep
      own.charge("a", 10);
      HeldFuture<Long> waiting = own.acquire("a", 10);
      throwing.set(true);
      own.rate(Rate.unlimited());
      pass(TICK);
      assertThat(waiting).isCompletedWithValue(10L);
    }
  }
}
