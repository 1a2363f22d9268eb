package dev.purgatory.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.threads.TimerInternals;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.ImmediateExecutor;
import java.io.PrintWriter;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The contract of Netty's timer, and what this one promises beyond it. */
class WheelTimerTest extends TimerContract {

  @Override
  Timer create(
      ThreadFactory threads,
      long tick,
      TimeUnit unit,
      int wheel,
      long maxPending,
      Executor taskExecutor) {
    return new WheelTimer(threads, tick, unit, wheel, true, maxPending, taskExecutor);
  }

  @Override
  Timer createDefault() {
    return new WheelTimer();
  }

  @Override
  long pendingTimeouts(Timer timer) {
    return ((WheelTimer) timer).pendingTimeouts();
  }

  @Override
  void start(Timer timer) {
    ((WheelTimer) timer).start();
  }

  private WheelTimer wheelTimer(long maxPending, Executor taskExecutor) {
    return (WheelTimer) timer(maxPending, taskExecutor);
  }

  @Test
  void constructors_areThoseOfNetty() {
    List<List<Class<?>>> ours = parameters(WheelTimer.class);
    assertThat(ours).containsAll(parameters(HashedWheelTimer.class));
  }

  private static List<List<Class<?>>> parameters(Class<?> type) {
    return Arrays.stream(type.getConstructors())
        .map(Constructor::getParameterTypes)
        .map(Arrays::asList)
        .toList();
  }

  @Test
  void everyConstructor_makesATimerThatWorks() throws InterruptedException {
    List<WheelTimer> timers =
        List.of(
            new WheelTimer(),
            new WheelTimer(10, MILLISECONDS),
            new WheelTimer(10, MILLISECONDS, 1),
            new WheelTimer(THREADS),
            new WheelTimer(THREADS, 10, MILLISECONDS),
            new WheelTimer(THREADS, 10, MILLISECONDS, 1 << 20),
            new WheelTimer(THREADS, 10, MILLISECONDS, 3, false),
            new WheelTimer(THREADS, 10, MILLISECONDS, 3, false, 1));
    CountDownLatch ran = new CountDownLatch(timers.size());
    for (WheelTimer timer : timers) {
      stopLater(timer).newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    }
    await(ran);
  }

  @Test
  void cancel_countsOutAtOnce() {
    WheelTimer timer = wheelTimer(1, ImmediateExecutor.INSTANCE);
    for (int i = 0; i < 1000; i++) {
      Timeout timeout = timer.newTimeout(NOTHING, 1, MINUTES);
      assertThat(timer.pendingTimeouts()).isOne();
      timeout.cancel();
      assertThat(timer.pendingTimeouts()).isZero();
    }
  }

  @Test
  void rejectedTimeouts_takeNoRoom() {
    WheelTimer timer = wheelTimer(1, ImmediateExecutor.INSTANCE);
    Timeout only = timer.newTimeout(NOTHING, 1, MINUTES);
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, MINUTES))
          .isInstanceOf(RejectedExecutionException.class)
          .hasMessage("1 timeouts are pending, as many as may be");
    }
    only.cancel();
    assertThat(timer.newTimeout(NOTHING, 1, MINUTES).cancel()).isTrue();
  }

  @Test
  void task_runsInVirtualTimeToTheNanosecond() {
    VirtualTime time = VirtualTime.create();
    WheelTimer timer = new WheelTimer(time.timer());
    Timeout timeout = timer.newTimeout(NOTHING, 1, MINUTES);
    time.advance(Duration.ofMinutes(1).minusNanos(1));
    assertThat(timeout.isExpired()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(timeout.isExpired()).isTrue();
    assertThat(timer.pendingTimeouts()).isZero();
  }

  @Test
  void stop_leavesASharedTimerRunning() {
    VirtualTime time = VirtualTime.create();
    AtomicInteger others = new AtomicInteger();
    var unused = time.timer().schedule(others::incrementAndGet, Duration.ofSeconds(2));
    WheelTimer timer = new WheelTimer(time.timer());
    Timeout timeout = timer.newTimeout(NOTHING, 1, SECONDS);
    assertThat(timer.stop()).containsExactly(timeout);
    assertThat(time.timer().size()).isOne();
    assertThatIllegalStateException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, SECONDS));
    time.advance(Duration.ofSeconds(2));
    assertThat(others).hasValue(1);
    assertThat(timeout.isExpired()).isFalse();
  }

  @Test
  void endedTimeouts_areNotReachable() {
    VirtualTime time = VirtualTime.create();
    WheelTimer timer = new WheelTimer(time.timer());
    for (int i = 0; i < 100; i++) {
      Object payload = time.track(new Object());
      Timeout timeout =
          timer.newTimeout(own -> assertThat(payload).isNotNull(), 1 + i % 2, MINUTES);
      if (i % 3 == 0) {
        timeout.cancel();
      }
    }
    time.advance(Duration.ofMinutes(1));
    timer.stop();
    time.assertNothingReachable();
    time.assertNothingPending();
    time.assertNoErrors();
  }

  @Test
  void timerWithNothingPending_hasNoThread() throws InterruptedException {
    List<Thread> made = new CopyOnWriteArrayList<>();
    ThreadFactory threads =
        task -> {
          Thread next = THREADS.newThread(task);
          made.add(next);
          return next;
        };
    WheelTimer timer = new WheelTimer(threads, 1, MILLISECONDS);
    stopLater(timer);
    assertThat(made).noneMatch(Thread::isAlive);
    CountDownLatch ran = new CountDownLatch(1);
    timer.newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    await(ran);
    for (Thread each : made) {
      each.join(SECONDS.toMillis(30));
    }
    assertThat(made).noneMatch(Thread::isAlive);

    CountDownLatch again = new CountDownLatch(1);
    timer.newTimeout(own -> again.countDown(), 1, MILLISECONDS);
    await(again);
  }

  @Test
  void forgottenTimer_isCollected() throws InterruptedException {
    WeakReference<WheelTimer> timer = new WeakReference<>(new WheelTimer(THREADS, 1, MILLISECONDS));
    long end = System.nanoTime() + SECONDS.toNanos(30);
    while (timer.get() != null && System.nanoTime() < end) {
      System.gc();
      Thread.sleep(5);
    }
    assertThat(timer.get()).isNull();
  }

  @Test
  void executorThatRejects_losesNoTask() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(2);
    Executor rejecting =
        task -> {
          throw new RejectedExecutionException("full");
        };
    WheelTimer timer = wheelTimer(-1, rejecting);
    timer.newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    timer.newTimeout(own -> ran.countDown(), 2, MILLISECONDS);
    await(ran);
  }

  @Test
  void executorThatRejects_losesNoTask_ifLoggingFails() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    CountDownLatch logged = new CountDownLatch(1);
    Executor rejecting =
        task -> {
          throw new UnprintableException(logged);
        };
    wheelTimer(-1, rejecting).newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    await(logged);
    await(ran);
  }

  /** Makes the log throw. */
  private static final class UnprintableException extends RejectedExecutionException {
    private static final long serialVersionUID = 1;

    private final transient CountDownLatch printed;

    UnprintableException(CountDownLatch printed) {
      this.printed = printed;
    }

    @Override
    public void printStackTrace(PrintWriter out) {
      printed.countDown();
      throw new LinkageError("expected");
    }
  }

  @Test
  void executorThatRunsATaskAndThrows_runsItOnce() throws InterruptedException {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch later = new CountDownLatch(1);
    Executor odd =
        task -> {
          task.run();
          task.run();
          throw new IllegalStateException("after the task");
        };
    WheelTimer timer = wheelTimer(-1, odd);
    timer.newTimeout(own -> runs.incrementAndGet(), 1, MILLISECONDS);
    timer.newTimeout(own -> later.countDown(), 30, MILLISECONDS);
    await(later);
    assertThat(runs).hasValue(1);
  }

  @Test
  void factoryThatFails_leavesNothingPending() {
    AtomicInteger calls = new AtomicInteger();
    OneBadThread threads = new OneBadThread(calls);
    WheelTimer timer = new WheelTimer(threads, 1, MILLISECONDS, 8, true, 1);
    stopLater(timer);
    assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, MINUTES)).hasMessage("cannot start");
    assertThat(timer.pendingTimeouts()).isZero();
    assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, MINUTES))
        .hasMessage("no more threads"); // and not that the limit is reached
  }

  /** Makes one thread that cannot be started, and then none. */
  private record OneBadThread(AtomicInteger calls) implements ThreadFactory {
    @Override
    public Thread newThread(Runnable task) {
      if (calls.getAndIncrement() > 0) {
        throw new IllegalStateException("no more threads");
      }
      return new Thread(task) {
        @Override
        public synchronized void start() {
          throw new IllegalStateException("cannot start");
        }
      };
    }
  }

  @Test
  void stop_duringANewTimeout_losesNone() throws Exception {
    for (int round = 0; round < 50; round++) {
      WheelTimer timer = new WheelTimer(THREADS, 1, MILLISECONDS);
      List<Timeout> begun = new ArrayList<>();
      CountDownLatch adding = new CountDownLatch(1);
      CompletableFuture<Void> adder =
          CompletableFuture.runAsync(
              () -> {
                try {
                  while (begun.size() < 100_000) {
                    begun.add(timer.newTimeout(NOTHING, 1, MINUTES));
                    adding.countDown();
                  }
                } catch (IllegalStateException e) {
                  // stopped
                }
              });
      await(adding);
      Set<Timeout> stopped = timer.stop();
      adder.get(30, SECONDS);
      assertThat(stopped.equals(new HashSet<>(begun))).isTrue();
      assertThat(begun.stream().allMatch(Timeout::isCancelled)).isTrue();
      assertThat(timer.pendingTimeouts()).isZero();
    }
  }

  /** A timer whose clock is read from {@code nanos}, and driven by the caller. */
  private static dev.purgatory.timer.Timer driven(AtomicLong nanos) {
    return dev.purgatory.timer.Timer.builder().ticker(nanos::get).build();
  }

  @Test
  void stop_whileATaskBlocksTheClock_returnsWhatIsDue() throws Exception {
    AtomicLong nanos = new AtomicLong();
    dev.purgatory.timer.Timer shared = driven(nanos);
    WheelTimer timer = new WheelTimer(shared);
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    TimerTask blocking =
        own -> {
          blocked.countDown();
          await(released);
        };
    timer.newTimeout(blocking, 1, SECONDS);
    AtomicInteger runs = new AtomicInteger();
    Set<Timeout> due = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      due.add(timer.newTimeout(own -> runs.incrementAndGet(), 1, SECONDS));
    }
    nanos.set(SECONDS.toNanos(1));
    CompletableFuture<Integer> clock = CompletableFuture.supplyAsync(shared::advance);
    await(blocked);
    assertThat(timer.stop().equals(due)).isTrue();
    assertThat(due).allMatch(Timeout::isCancelled).noneMatch(Timeout::isExpired);
    released.countDown();
    assertThat(clock.get(30, SECONDS)).isOne();
    assertThat(runs).hasValue(0);
  }

  @Test
  void stop_afterATaskHasClosedTheSharedTimer_returnsWhatWasDue() {
    AtomicLong nanos = new AtomicLong();
    dev.purgatory.timer.Timer shared = driven(nanos);
    var unused = shared.schedule(shared::close, Duration.ofSeconds(1));
    WheelTimer timer = new WheelTimer(shared);
    Timeout due = timer.newTimeout(NOTHING, 1, SECONDS);
    Timeout later = timer.newTimeout(NOTHING, 2, SECONDS);
    nanos.set(SECONDS.toNanos(1));
    assertThat(shared.advance()).isOne();
    assertThatIllegalStateException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, SECONDS));
    assertThat(timer.stop()).containsExactlyInAnyOrder(due, later);
  }

  @Test
  void stop_whileTheClockAdvancesAndWheelsChange_endsEachOnce() throws Exception {
    AtomicLong nanos = new AtomicLong();
    dev.purgatory.timer.Timer shared = driven(nanos);
    WheelTimer timer = new WheelTimer(shared);
    AtomicInteger runs = new AtomicInteger();
    List<Timeout> all = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      all.add(timer.newTimeout(own -> runs.incrementAndGet(), i, MILLISECONDS));
    }
    AtomicBoolean stopped = new AtomicBoolean();
    CountDownLatch rounds = new CountDownLatch(20);
    CompletableFuture<Void> clock =
        CompletableFuture.runAsync(
            () -> {
              while (!stopped.get()) {
                nanos.addAndGet(MILLISECONDS.toNanos(3));
                shared.advance();
                rounds.countDown();
              }
            });
    CompletableFuture<Void> changes =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 1; !stopped.get(); i = i % 50 + 1) {
                shared.reconfigure(Duration.ofMillis(i), 2 << (i % 8));
              }
            });
    await(rounds);
    Set<Timeout> cancelled = timer.stop();
    stopped.set(true);
    CompletableFuture.allOf(clock, changes).get(30, SECONDS);
    assertThat(all.stream().filter(Timeout::isCancelled).collect(toSet()).equals(cancelled))
        .isTrue();
    assertThat(runs.get() + cancelled.size()).isEqualTo(all.size());
    assertThat(all.stream().filter(Timeout::isExpired).count()).isEqualTo(runs.get());
    assertThat(shared.size()).isZero();
  }

  @Test
  void stop_duringNewTimeoutsOnManyThreads_endsEachOnce() throws Exception {
    for (int round = 0; round < 50; round++) {
      WheelTimer timer = new WheelTimer(THREADS, 1, MILLISECONDS);
      AtomicInteger begun = new AtomicInteger();
      AtomicInteger ends = new AtomicInteger();
      CountDownLatch adding = new CountDownLatch(3);
      List<CompletableFuture<Void>> adders = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        adders.add(CompletableFuture.runAsync(() -> addUntilStopped(timer, begun, ends, adding)));
      }
      await(adding);
      ends.addAndGet(timer.stop().size());
      CompletableFuture.allOf(adders.toArray(CompletableFuture[]::new)).get(30, SECONDS);
      long end = System.nanoTime() + SECONDS.toNanos(30);
      while (ends.get() != begun.get() && System.nanoTime() < end) {
        Thread.sleep(1); // stop() does not wait for a slow task
      }
      assertThat(ends).hasValue(begun.get());
      assertThat(timer.pendingTimeouts()).isZero();
      assertThat(timer.stop()).isEmpty();
    }
  }

  private static void addUntilStopped(
      WheelTimer timer, AtomicInteger begun, AtomicInteger ends, CountDownLatch adding) {
    try {
      for (int i = 0; i < 100_000; i++) {
        Timeout timeout = timer.newTimeout(own -> ends.incrementAndGet(), i % 3, MILLISECONDS);
        begun.incrementAndGet();
        if (i % 4 == 0 && timeout.cancel()) {
          ends.incrementAndGet();
        }
        adding.countDown();
      }
    } catch (IllegalStateException e) {
      // stopped
    }
  }

  @Test
  void stop_byAnInterruptedThread_keepsTheInterrupt() {
    WheelTimer timer = wheelTimer(-1, ImmediateExecutor.INSTANCE);
    Timeout timeout = timer.newTimeout(NOTHING, 1, MINUTES);
    Thread.currentThread().interrupt();
    assertThat(timer.stop()).containsExactly(timeout);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void burst_isNotRetained() {
    dev.purgatory.timer.Timer shared = driven(new AtomicLong());
    WheelTimer timer = new WheelTimer(shared);
    List<Timeout> burst = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      burst.add(timer.newTimeout(NOTHING, i, MILLISECONDS));
    }
    burst.subList(0, 100_000).forEach(Timeout::cancel);
    assertThat(timer.pendingTimeouts()).isEqualTo(100_000);
    assertThat(timer.stop()).hasSize(100_000);
    assertThat(shared.size()).isZero();
    assertThat(TimerInternals.of(shared).wheels().retained()).isLessThan(5_000);
  }

  @Test
  void cancelOnManyThreads_isTrueOnce() throws Exception {
    WheelTimer timer = wheelTimer(-1, ImmediateExecutor.INSTANCE);
    for (int round = 0; round < 500; round++) {
      AtomicInteger ends = new AtomicInteger();
      TimerTask counting = own -> ends.incrementAndGet();
      Timeout timeout = timer.newTimeout(counting, round % 2, MILLISECONDS);
      Runnable cancel =
          () -> {
            if (timeout.cancel()) {
              ends.incrementAndGet();
            }
          };
      CompletableFuture.allOf(
              CompletableFuture.runAsync(cancel), CompletableFuture.runAsync(cancel))
          .get(30, SECONDS);
      awaitPending(timer, 0);
      CountDownLatch after = new CountDownLatch(1);
      timer.newTimeout(own -> after.countDown(), 0, MILLISECONDS);
      await(after);
      assertThat(ends).hasValue(1);
      assertThat(timeout.isCancelled()).isNotEqualTo(timeout.isExpired());
    }
  }

  @Test
  void badWheels_areRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WheelTimer(1, SECONDS, 0))
        .withMessage("ticksPerWheel 0 is not between 1 and 1073741824");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WheelTimer(1, NANOSECONDS, (1 << 30) + 1))
        .withMessage("ticksPerWheel 1073741825 is not between 1 and 1073741824");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WheelTimer(0, SECONDS))
        .withMessage("tickDuration 0 SECONDS is not positive, or too long");
  }
}
