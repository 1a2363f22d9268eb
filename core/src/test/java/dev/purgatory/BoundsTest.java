package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.base.Nesting;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Sneaky;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The bounds that the promises do not state: retained memory, how long a caller waits, stack depth
 * and the number of threads.
 */
class BoundsTest {
  private static final Executor DIRECT = Runnable::run;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Purgatory<?>> purgatories = new ArrayList<>();
  private final Purgatory<Object> purgatory = purgatory("bounds", b -> b);

  private Purgatory<Object> purgatory(
      String name, UnaryOperator<PurgatoryBuilder<Object>> setting) {
    PurgatoryBuilder<Object> builder = Purgatory.builder(name, Object.class);
    builder.timer(timer).expirationExecutor(DIRECT);
    Purgatory<Object> built = setting.apply(builder).build();
    purgatories.add(built);
    return built;
  }

  @AfterEach
  void close() {
    purgatories.forEach(Purgatory::close);
  }

  private RecordingOperation heldFor(long timeoutMillis, Object... keys) {
    RecordingOperation operation = new RecordingOperation(timeoutMillis);
    assertThat(purgatory.hold(operation, List.of(keys))).isFalse();
    return operation;
  }

  private RecordingOperation held(Object... keys) {
    return heldFor(1_000, keys);
  }

  private void advance(Duration by) {
    ticker.advance(by);
    timer.advance();
  }

  /** A key of about 1 kB whose hash code can be made to fail. */
  private static final class Key {
    private final int number;
    private final byte[] weight;
    private volatile boolean failing;

    Key(int number) {
      this.number = number;
      this.weight = new byte[1_000];
    }

    @Override
    public int hashCode() {
      if (failing) {
        throw new IllegalStateException("the hash code fails");
      }
      return number + weight[0];
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Nested
  class Memory {

    @Test
    void burstWithLongTimeouts_allComplete_timerRetainsFewEntries() {
      int burst = 200_000;
      for (int i = 0; i < burst; i++) {
        heldFor(TimeUnit.DAYS.toMillis(1), i).condition(true);
      }
      for (int i = 0; i < burst; i++) {
        purgatory.signal(i);
      }
      assertThat(purgatory.pending()).isZero();
      assertThat(TimerInternals.of(timer).wheels().retained()).isLessThan(3_000);
    }

    @Test
    void burstOfKeysEnds_mapShrinksWithoutAnotherCall() {
      Object map = WatchListsView.map(purgatory);
      List<RecordingOperation> operations = new ArrayList<>();
      for (int i = 0; i < 50_000; i++) {
        operations.add(held(i));
      }
      RecordingOperation remaining = heldFor(TimeUnit.DAYS.toMillis(1), "remaining");
      operations.forEach(DelayedOperation::cancel);
      advance(Duration.ofMillis(500));
      Threads.until(() -> purgatory.inspect().keys() == 1);
      Threads.until(() -> WatchListsView.map(purgatory) != map);
      remaining.condition(true);
      assertThat(purgatory.signal("remaining")).isEqualTo(1);
    }

    @Test
    void mapShrinksWhileKeysAreAddedAndRemoved_noEventIsLost() throws InterruptedException {
      Purgatory<Object> churning = purgatory("churn", b -> b.purgeInterval(0));
      List<Threads.Task> tasks = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        int base = thread * 1_000_000;
        tasks.add(() -> holdAndSignal(churning, base));
      }
      Object map = WatchListsView.map(churning);
      Threads.race(tasks);
      assertThat(churning.pending()).isZero();
      Threads.until(() -> WatchListsView.map(churning) != map); // it has shrunk
    }

    @Test
    void signalEndsManyOperations_whatTheyLeaveIsBoundedMeanwhile() {
      int waiters = 10_000;
      List<Integer> excess = new ArrayList<>();
      for (int i = 0; i < waiters; i++) {
        heldFor(TimeUnit.DAYS.toMillis(1), "event", i)
            .condition(true)
            .onAnswer(
                () -> excess.add(TimerInternals.of(timer).wheels().retained() - 2 * timer.size()));
      }
      assertThat(purgatory.signal("event")).isEqualTo(waiters);

      assertThat(excess).hasSize(waiters).allMatch(more -> more < 3_000);
      Threads.until(() -> purgatory.inspect().watched() <= 1_000);
    }

    private void holdAndSignal(Purgatory<Object> churning, int base) {
      for (int i = 0; i < 30_000; i++) {
        RecordingOperation operation = new RecordingOperation(1_000);
        churning.hold(operation, List.of(base + i, base + i / 8));
        operation.condition(true);
        assertThat(churning.signal(base + i / 8)).isEqualTo(1);
      }
    }

    @Test
    void keysOfEndedOperations_purgatoryIsIdle_becomeUnreachable() {
      List<WeakReference<Key>> keys = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        Key key = new Key(i);
        held(key).cancel();
        keys.add(new WeakReference<>(key));
      }
      assertThat(purgatory.inspect().keys()).isEqualTo(500);
      advance(Duration.ofMillis(500));
      Threads.until(
          () -> {
            System.gc();
            return keys.stream().allMatch(key -> key.get() == null);
          });
    }

    @Test
    void unusedKeyOfAnOperationWithAUsedKey_isRemoved() {
      RecordingOperation live = held("live");
      held("unused", "live").cancel();
      advance(Duration.ofMillis(500));
      Threads.until(() -> purgatory.inspect().keys() == 1);
      assertThat(purgatory.pending()).isEqualTo(1);
      live.cancel();
      advance(Duration.ofMillis(500));
      Threads.until(() -> purgatory.inspect().keys() == 0 && purgatory.inspect().watched() == 0);
    }

    @Test
    void nothingEnds_timerHasNoAlarm() {
      RecordingOperation operation = heldFor(TimeUnit.HOURS.toMillis(1), "k");
      assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(1);
      operation.cancel();
      advance(Duration.ofMillis(500));
      Threads.until(() -> purgatory.inspect().keys() == 0);
      advance(Duration.ofHours(2));
      assertThat(TimerInternals.of(timer).wheels().retained())
          .as("alarms after the purge")
          .isZero();
    }

    @Test
    void operationsWithoutAKeyEnd_timerHasNoAlarm() {
      for (int i = 0; i < 100; i++) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HeldFuture<String> limited = purgatory.timeout(stage, Duration.ofSeconds(1));
        assertThat(stage.complete("x")).isTrue();
        assertThat(limited).isCompletedWithValue("x");
      }
      TimerInternals.of(timer).wheels().purge();
      assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
      assertThat(purgatory.inspect().watched()).isLessThanOrEqualTo(100);
      purgatory.core().purge();
      assertThat(purgatory.inspect().watched()).isZero();
    }

    @Test
    void keyThatBeginsToFail_doesNotStopThePurge() {
      List<RecordingOperation> operations = new ArrayList<>();
      for (int i = 0; i < 500; i++) { // too few for the keys to move to another map
        operations.add(held(i));
      }
      Key unused = new Key(1);
      Key used = new Key(2);
      operations.add(held(unused));
      RecordingOperation waiting = heldFor(TimeUnit.DAYS.toMillis(1), used);
      unused.failing = true;
      used.failing = true;
      operations.forEach(DelayedOperation::cancel);
      advance(Duration.ofMillis(500));
      Threads.until(() -> purgatory.inspect().keys() == 1 && purgatory.inspect().watched() == 1);
      assertThat(purgatory.pending()).isEqualTo(1);
      assertThat(purgatory.cancelAll()).containsExactly(waiting);
      purgatory.core().purge();
      // The helper thread may still be in its purge.
      Threads.until(() -> purgatory.inspect().keys() == 0 && purgatory.inspect().watched() == 0);
    }

    @Test
    void pooledThreadOfAnUndeployedApplication_doesNotRetainItsClasses() throws Exception {
      ExecutorService pool = Executors.newSingleThreadExecutor();
      try {
        WeakReference<ClassLoader> deployment = deployAndUndeploy(pool);
        Threads.until(
            () -> {
              System.gc();
              return deployment.get() == null;
            });
      } finally {
        pool.shutdownNow();
      }
    }

    private WeakReference<ClassLoader> deployAndUndeploy(ExecutorService pool) throws Exception {
      URL[] classes = {
        location(Timer.class), location(Purgatory.class), location(BoundsTest.class)
      };
      try (URLClassLoader loader = new URLClassLoader(classes, null)) {
        Class<?> deployment = loader.loadClass("dev.purgatory.testing.Deployment");
        assertThat(deployment.getClassLoader()).isSameAs(loader);
        Runnable application = (Runnable) deployment.getDeclaredConstructor().newInstance();
        pool.submit(application).get(Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return new WeakReference<>(loader);
      }
    }

    private URL location(Class<?> type) {
      String file = type.getName().replace('.', '/') + ".class";
      String url = requireNonNull(type.getClassLoader().getResource(file)).toString();
      try {
        return new URL(url.substring(0, url.length() - file.length()));
      } catch (java.net.MalformedURLException e) {
        throw new AssertionError(e);
      }
    }

    @Test
    void operationWithoutATimeout_isNotInTheTimer() {
      for (long timeout : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 1_000_000}) {
        RecordingOperation operation = heldFor(timeout, "k");
        assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
        advance(Duration.ofDays(36_500));
        assertThat(operation.isAnswered()).isFalse();
        operation.cancel();
        Threads.until(() -> !WatchListsView.isPurging(purgatory));
        advance(Duration.ofDays(1));
      }
    }
  }

  @Nested
  class OwnThreads {

    @Test
    void idlePurgatoriesOnOneTimer_haveNoThreadsAndNoUnusedKeys() {
      List<Purgatory<Object>> idle = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Purgatory<Object> each = purgatory("idle", b -> b);
        for (int key = 0; key < 10; key++) {
          RecordingOperation operation = new RecordingOperation(1_000);
          each.hold(operation, List.of(key));
          operation.cancel();
        }
        idle.add(each);
      }
      advance(Duration.ofMillis(500));
      Threads.until(() -> idle.stream().allMatch(each -> each.inspect().keys() == 0));
      Threads.until(() -> !Threads.isAlive("purgatory-idle-purge"));
    }

    @Test
    void threadForExpirations_endsWhenIdleAndIsStartedAgain() {
      Purgatory<Object> own = Purgatory.builder("resting", Object.class).timer(timer).build();
      for (int i = 0; i < 2; i++) {
        RecordingOperation operation = new RecordingOperation(1);
        own.hold(operation, List.of("k"));
        advance(Duration.ofMillis(1));
        Threads.until(() -> operation.expirations() == 1);
        Threads.until(() -> !Threads.isAlive("purgatory-resting-expiration"));
      }
      own.close();
    }

    @Test
    void ownThreads_haveTheContextClassLoaderOfTheBuilder() throws InterruptedException {
      ClassLoader before = Thread.currentThread().getContextClassLoader();
      ClassLoader ofCaller = new ClassLoader(before) {};
      AtomicReference<@Nullable ClassLoader> seen = new AtomicReference<>();
      Purgatory<Object> own = Purgatory.builder("loader", Object.class).build();
      RecordingOperation operation =
          new RecordingOperation(1)
              .onAnswer(() -> seen.set(Thread.currentThread().getContextClassLoader()));
      Threads.start(
              () -> {
                Thread.currentThread().setContextClassLoader(ofCaller);
                own.hold(operation, List.of("k"));
              })
          .join();
      Threads.until(() -> seen.get() != null);
      own.close();
      assertThat(seen.get()).isSameAs(before);
    }
  }

  @Nested
  class Waiting {

    /** An operation that completes a future with its answer. */
    private RecordingOperation answering(CompletableFuture<String> answer) {
      return new RecordingOperation(1_000).onAnswer(() -> answer.complete("answer"));
    }

    @Test
    void continuationThatHoldsAnotherOperation_getsItsAnswer() {
      CompletableFuture<String> first = new CompletableFuture<>();
      CompletableFuture<String> second = new CompletableFuture<>();
      List<String> seen = new ArrayList<>();
      CompletableFuture<Void> continuation =
          first.thenAccept(
              answer -> {
                RecordingOperation next = answering(second).condition(true);
                assertThat(purgatory.hold(next, List.of("b"))).isTrue();
                seen.add(second.orTimeout(Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
              });
      purgatory.hold(answering(first).condition(true), List.of("a"));
      assertThat(continuation).isCompleted();
      assertThat(seen).containsExactly("answer");
    }

    @Test
    void continuationThatSignalsAnotherOperation_getsItsAnswer() {
      Purgatory<Object> other = purgatory("other", b -> b);
      for (Purgatory<Object> target : List.of(purgatory, other)) {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        RecordingOperation waiting = answering(second);
        target.hold(waiting, List.of("b"));
        List<String> seen = new ArrayList<>();
        CompletableFuture<Void> continuation =
            first.thenAccept(
                answer -> {
                  waiting.condition(true);
                  assertThat(target.signal("b")).isEqualTo(1);
                  seen.add(second.orTimeout(Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
                });
        purgatory.hold(answering(first).condition(true), List.of("a"));
        assertThat(continuation).isCompleted();
        assertThat(seen).containsExactly("answer");
      }
    }

    @Test
    void callbacksNestedTooDeepForOneStack_getTheirAnswers() {
      int depth = 10 * Nesting.MOST;
      AtomicInteger deepest = new AtomicInteger();
      CompletableFuture<String> last = waitForTheNext(depth, deepest);
      last.orTimeout(Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(last.join()).isEqualTo("answer");
      assertThat(deepest.get()).isEqualTo(depth);
    }

    /** Holds an operation whose answer waits for the answer of the next operation. */
    private CompletableFuture<String> waitForTheNext(int left, AtomicInteger deepest) {
      CompletableFuture<String> answer = new CompletableFuture<>();
      RecordingOperation operation =
          new RecordingOperation(1_000)
              .condition(true)
              .onAnswer(
                  () -> {
                    if (left > 0) {
                      deepest.incrementAndGet();
                      waitForTheNext(left - 1, deepest).join();
                    }
                    answer.complete("answer");
                  });
      assertThat(purgatory.hold(operation, List.of(left))).isTrue();
      return answer;
    }

    @Test
    void endedThreadsThatSignalled_becomeUnreachable() throws InterruptedException {
      List<WeakReference<Thread>> threads = new ArrayList<>();
      for (int i = 0; i < 300; i++) { // several for each slot
        threads.add(checkOnAnotherThread());
      }
      Threads.until(
          () -> {
            System.gc();
            return threads.stream().allMatch(thread -> thread.get() == null);
          });
    }

    private WeakReference<Thread> checkOnAnotherThread() throws InterruptedException {
      AtomicInteger depth = new AtomicInteger();
      held("k")
          .condition(true)
          .onAnswer(
              () -> {
                depth.set(Nesting.enter());
                Nesting.leave(depth.get());
              });
      Threads.Running running = Threads.start(() -> purgatory.signal("k"));
      running.join();
      assertThat(depth).hasPositiveValue();
      return new WeakReference<>(running.thread());
    }

    @Test
    void executorThatBlocksOrRejects_delaysNoOtherPurgatoryOnTheTimer()
        throws InterruptedException {
      Timer shared = Timer.builder().start("bounds-clock");
      CountDownLatch never = new CountDownLatch(1);
      List<String> reportedOn = new CopyOnWriteArrayList<>();
      Purgatory<Object> blocking =
          Purgatory.builder("blocking", Object.class)
              .timer(shared)
              .expirationExecutor(task -> waitFor(never))
              .build();
      Purgatory<Object> rejecting =
          Purgatory.builder("rejecting", Object.class)
              .timer(shared)
              .expirationExecutor(
                  task -> {
                    throw new RejectedExecutionException("full");
                  })
              .listener(
                  new PurgatoryListener() {
                    @Override
                    public void onError(Object operation, Source source, Throwable error) {
                      reportedOn.add(Thread.currentThread().getName());
                    }
                  })
              .build();
      Purgatory<Object> other = Purgatory.builder("other", Object.class).timer(shared).build();
      RecordingOperation[] operations = new RecordingOperation[3];
      for (int i = 0; i < 3; i++) {
        operations[i] = new RecordingOperation(1 + i);
        List.of(blocking, rejecting, other).get(i).hold(operations[i], List.of("k"));
      }
      Threads.until(() -> operations[1].expirations() + operations[2].expirations() == 2);
      assertThat(reportedOn).containsExactly("purgatory-rejecting-expiration");
      never.countDown();
      assertThat(blocking.close(Duration.ofSeconds(1))).containsExactly(operations[0]);
      List.of(rejecting, other).forEach(Purgatory::close);
      shared.close();
    }

    private void waitFor(CountDownLatch latch) {
      try {
        Threads.await(latch);
      } catch (InterruptedException e) {
        Sneaky.raise(e);
      }
    }

    @Test
    void threadThatIsAskedToCheckAgainEachTime_stopsAfterAFewChecks() {
      int checks = 1_000;
      RecordingOperation operation = held("k");
      AtomicInteger here = new AtomicInteger();
      Thread caller = Thread.currentThread();
      ExecutorService other = Executors.newSingleThreadExecutor();
      operation.onCheck(
          () -> {
            here.addAndGet(Thread.currentThread() == caller ? 1 : 0);
            if (operation.checks() < checks) {
              // The signal finds this check running and makes this thread check again.
              CompletableFuture.runAsync(() -> purgatory.signal("k"), other).join();
            }
          });
      purgatory.signal("k");
      assertThat(here.get()).isBetween(1, 6);
      Threads.until(() -> operation.checks() == checks);
      assertThat(operation.violations()).isEmpty();
      operation.condition(true);
      Threads.until(() -> purgatory.signal("k") + operation.answers() > 0);
      other.shutdown();
    }

    @Test
    void conditionHoldsWithoutASignal_timeout_completes() {
      RecordingOperation operation = held("k").condition(true);
      advance(Duration.ofSeconds(1));
      assertThat(operation.isExpired()).isFalse();
      assertThat(operation.answers()).isEqualTo(1);
      assertThat(operation.expirations()).isZero();
    }

    @Test
    void conditionThatHangs_delaysOnlyItsOwnAnswer() throws InterruptedException {
      CountDownLatch hangs = new CountDownLatch(1);
      CountDownLatch begun = new CountDownLatch(1);
      RecordingOperation hanging = held("hanging");
      hanging.onCheck(
          () -> {
            begun.countDown();
            waitFor(hangs);
          });
      Threads.Running check = Threads.start(() -> purgatory.signal("hanging"));
      Threads.await(begun);
      RecordingOperation other = held("other");
      advance(Duration.ofSeconds(1));
      assertThat(hanging.isExpired()).isTrue();
      assertThat(hanging.answers()).isZero();
      assertThat(other.expirations()).isEqualTo(1);
      assertThat(purgatory.pending()).isZero();
      hangs.countDown();
      check.join();
      assertThat(hanging.expirations()).isEqualTo(1);
    }
  }

  @Nested
  class Closing {

    private final Purgatory<Object> own =
        Purgatory.builder("closing", Object.class).timer(timer).build();
    private final List<RecordingOperation> operations = new ArrayList<>();

    private void hold(int count, Runnable onAnswer) {
      for (int i = 0; i < count; i++) {
        RecordingOperation operation = new RecordingOperation(60_000).onAnswer(onAnswer);
        own.hold(operation, List.of(i, "all"));
        operations.add(operation);
      }
    }

    @Test
    void close_answersAreSlow_waitsForAllAnswers() throws InterruptedException {
      CountDownLatch release = new CountDownLatch(1);
      AtomicInteger answered = new AtomicInteger();
      hold(
          100,
          () -> {
            try {
              Threads.await(release);
            } catch (InterruptedException e) {
              Sneaky.raise(e);
            }
            answered.incrementAndGet();
          });
      Threads.Running closing =
          Threads.start(
              () -> {
                own.close();
                assertThat(answered).hasValue(100);
              });
      Threads.until(() -> own.pending() <= 96); // one more blocks every ten milliseconds, up to 16
      assertThat(own.pending()).isBetween(100L - 16, 96L);
      release.countDown();
      closing.join();
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }

    @Test
    void close_withATimeout_returnsUnansweredOperations() {
      CountDownLatch never = new CountDownLatch(1);
      AtomicInteger answers = new AtomicInteger();
      hold(
          100,
          () -> {
            if (answers.incrementAndGet() > 10) {
              try {
                Threads.await(never);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
          });
      List<Object> unanswered = own.close(Duration.ofMillis(300));
      int begun = answers.get();
      assertThat(begun).isLessThanOrEqualTo(10 + 16); // fewer on a loaded machine
      never.countDown(); // nobody interrupts it
      Threads.until(
          () ->
              operations.stream()
                  .allMatch(operation -> operation.answers() == 1 || operation.isCancelled()));
      assertThat(unanswered)
          .hasSizeGreaterThanOrEqualTo(100 - 10 - 16)
          .allMatch(each -> ((RecordingOperation) each).isCancelled());
      assertThat(own.pending()).isZero();
      Threads.until(
          () -> own.inspect().keys() == 0); // a thread that was evaluating ends what was cancelled
      assertThat(own.close(Duration.ofDays(1))).as("second call").isEmpty();
    }

    @Test
    void close_timeoutOfZero_returnsOperationsWhoseAnswerHasNotBegun_aNegativeOneIsRefused() {
      QueueingPurgatory queueing = new QueueingPurgatory(timer);
      RecordingOperation operation = new RecordingOperation(60_000);
      queueing.purgatory.hold(operation, List.of("k"));
      assertThatThrownBy(() -> queueing.purgatory.close(Duration.ofSeconds(-1)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(queueing.purgatory.close(Duration.ZERO)).containsExactly(operation);
      queueing.tasks.forEach(Runnable::run);
      assertThat(operation.answers()).isZero();
    }

    /** A task of the purgatory's own timer is not one of its answers. */
    @Test
    void close_aTaskOfItsTimerBlocks_returnsAndInterruptsNothing() throws InterruptedException {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      CompletableFuture<String> end = new CompletableFuture<>();
      Purgatory<String> own = Purgatory.builder("own", String.class).build();
      own.timer()
          .schedule(
              () -> {
                begun.countDown();
                try {
                  Threads.await(closed);
                  end.complete("uninterrupted");
                } catch (InterruptedException e) {
                  end.complete("interrupted");
                }
              },
              Duration.ZERO);
      Threads.await(begun);
      assertThat(own.close(Duration.ofMillis(1))).isEmpty();
      assertThat(end).isNotDone();
      closed.countDown();
      assertThat(end.join()).isEqualTo("uninterrupted");
    }

    /** A sweep would visit what others have in the timer. */
    @Test
    void close_timerIsShared_isNotSwept() {
      for (int i = 0; i < 100; i++) {
        heldFor(TimeUnit.DAYS.toMillis(1), i).cancel();
      }
      assertThat(TimerInternals.of(timer).wheels().retained())
          .as("what a sweep would remove")
          .isPositive();
      Purgatory<String> other = Purgatory.builder("other", String.class).timer(timer).build();
      int retained = TimerInternals.of(timer).wheels().retained();
      other.close();
      assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(retained);
    }

    @Test
    void close_longestTimeout_waitsForAllAnswers() {
      hold(10, () -> {});
      assertThat(own.close(Duration.ofSeconds(Long.MAX_VALUE))).isEmpty();
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }

    @Test
    void hold_timerIsClosed_reportsZeroTimeHeld() {
      Timer closed = Timer.builder().ticker(ticker).build();
      List<Long> heldNanos = new ArrayList<>();
      Purgatory<Object> late =
          Purgatory.builder("late", Object.class)
              .timer(closed)
              .listener(
                  new PurgatoryListener() {
                    @Override
                    public void onEnded(
                        Object operation,
                        Outcome outcome,
                        @Nullable Throwable cause,
                        long nanos,
                        long lateNanos) {
                      heldNanos.add(nanos);
                    }
                  })
              .build();
      ticker.advance(Duration.ofDays(1));
      closed.close();
      assertThatThrownBy(() -> late.hold(new RecordingOperation(60_000), List.of("k")))
          .isInstanceOf(IllegalStateException.class);
      assertThat(heldNanos).containsExactly(0L);
      late.close();
    }
  }

  /** A purgatory whose executor queues its tasks. */
  private static final class QueueingPurgatory {
    private final List<Runnable> tasks = new ArrayList<>();
    private final Purgatory<Object> purgatory;

    QueueingPurgatory(Timer timer) {
      purgatory =
          Purgatory.builder("queueing", Object.class)
              .timer(timer)
              .expirationExecutor(tasks::add)
              .build();
    }
  }

  /** Requests in a chain, each of which ends the next one. */
  @Nested
  class Chains {
    private static final int LENGTH = 3_000;

    private final Replies<Object, String> replies =
        Replies.<Object, String>builder("replies", Object.class, String.class)
            .timer(timer)
            .expirationExecutor(DIRECT)
            .build();

    @AfterEach
    void closeReplies() {
      replies.close();
    }

    private final List<CompletableFuture<String>> stages = new ArrayList<>();
    private final List<Scope> scopes = new ArrayList<>();

    /** Holds a request, and returns what ends it. */
    private interface Way {
      Runnable hold(int number, Consumer<HeldFuture<?>> held);
    }

    private HeldFuture<String> untilCompleted(int number) {
      return purgatory.<String>untilCompleted().forever().hold(number);
    }

    private void run(Way way) {
      List<Runnable> ends = new ArrayList<>();
      List<HeldFuture<?>> held = new ArrayList<>();
      for (int i = 0; i < LENGTH; i++) {
        ends.add(way.hold(i, held::add));
      }
      for (int i = 0; i < LENGTH - 1; i++) {
        Runnable next = ends.get(i + 1);
        var unused = held.get(i).whenComplete((value, error) -> next.run());
      }
      ends.get(0).run();
      Threads.until(() -> held.stream().allMatch(CompletableFuture::isDone));
      assertThat(Nesting.enter()).as("the depth on this thread").isZero();
      Nesting.leave(0);
    }

    @Test
    void complete_cancelAndFail_endAll() {
      List<BiFunction<HeldFuture<String>, Integer, Boolean>> ways =
          List.of(
              (future, number) -> future.complete("x"),
              (future, number) -> future.cancel(false),
              (future, number) -> future.completeExceptionally(new IOException("x")),
              (future, number) -> WatchListsView.completeForKey(purgatory, number, "x") == 1);
      for (BiFunction<HeldFuture<String>, Integer, Boolean> each : ways) {
        run(
            (number, held) -> {
              HeldFuture<String> future = untilCompleted(number);
              held.accept(future);
              return () -> assertThat(each.apply(future, number)).isTrue();
            });
      }
    }

    @Test
    void replies_endAll() {
      run(
          (number, held) -> {
            held.accept(replies.expect(number, Duration.ofHours(1)));
            return () -> assertThat(replies.complete(number, "x")).isTrue();
          });
    }

    @Test
    void stages_endAll() {
      run(
          (number, held) -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            stages.add(stage);
            held.accept(purgatory.timeout(stage, Duration.ofHours(1)));
            return () -> stage.complete("x");
          });
    }

    @Test
    void scopes_endAll() {
      run(
          (number, held) -> {
            Scope scope = Scope.of("scope");
            scopes.add(scope);
            held.accept(purgatory.untilCompleted().inScope(scope).forever().hold(number));
            return () -> scope.fail(new IOException("x"));
          });
    }

    @Test
    void conditionsThatAdvanceThresholds_endAll() {
      Thresholds<Object> thresholds = new Thresholds<>(purgatory);
      Set<Integer> reached = ConcurrentHashMap.newKeySet();
      List<HeldFuture<Integer>> held = new ArrayList<>();
      for (int i = 0; i < LENGTH; i++) {
        int number = i;
        Hold.Untimed<Object, Integer> hold =
            purgatory.until(
                () -> {
                  if (!reached.contains(number)) {
                    return null;
                  }
                  reached.add(number + 1);
                  int unused = thresholds.advance(number + 1, 1);
                  return number;
                });
        held.add(hold.reaching(thresholds, number, 1).forever().hold());
      }
      reached.add(0);
      int unused = thresholds.advance(0, 1);
      Threads.until(() -> held.stream().allMatch(CompletableFuture::isDone));
      assertThat(held).noneMatch(CompletableFuture::isCompletedExceptionally);
      assertThat(thresholds.number(LENGTH)).isEqualTo(1);
    }
  }

  /** One small set of threads for all purgatories of a timer. */
  @Nested
  class ThreadsOfATimer {

    @Test
    void conditionThatBlocksAtATimeout_delaysNoOtherTimeout() {
      CountDownLatch release = new CountDownLatch(1);
      AtomicInteger checks = new AtomicInteger();
      try (Purgatory<String> slow = Purgatory.builder("slow", String.class).build()) {
        HeldFuture<String> blocking =
            slow.until(() -> checks.incrementAndGet() > 2 ? blocked(release) : null)
                .orAfter(Duration.ofMillis(100), () -> "late") // this thread evaluates twice before
                .hold("a");
        HeldFuture<String> other =
            slow.<String>until(() -> null).orAfter(Duration.ofMillis(1), () -> "none").hold("b");
        assertThat(other.join()).isEqualTo("none");
        assertThat(blocking).isNotDone();
        release.countDown();
        assertThat(blocking.join()).isEqualTo("answer");
      }
    }

    private String blocked(CountDownLatch release) {
      try {
        Threads.await(release);
        return "answer";
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Test
    void periodicEvaluationThatBlocks_delaysNoTimeout() {
      CountDownLatch release = new CountDownLatch(1);
      AtomicBoolean isHeld = new AtomicBoolean(); // before, this thread evaluates, too
      AtomicBoolean blocks = new AtomicBoolean();
      try (Purgatory<String> slow = Purgatory.builder("slow", String.class).build()) {
        HeldFuture<String> blocking =
            slow.until(
                    () -> {
                      blocks.set(isHeld.get());
                      return blocks.get() ? blocked(release) : null;
                    })
                .recheckEvery(Duration.ofMillis(1))
                .forever()
                .hold("a");
        isHeld.set(true);
        Threads.until(blocks::get);
        HeldFuture<String> other =
            slow.<String>until(() -> null).orAfter(Duration.ofMillis(1), () -> "none").hold("b");
        assertThat(other.join()).isEqualTo("none");
        release.countDown();
        assertThat(blocking.join()).isEqualTo("answer");
      }
    }

    @Test
    void purgatoriesThatCloseEachOtherFromAnswers_return() throws InterruptedException {
      Purgatory<String> one = Purgatory.builder("one", String.class).build();
      Purgatory<String> two = Purgatory.builder("two", String.class).build();
      CompletableFuture<String> attached = new CompletableFuture<>();
      CountDownLatch both = new CountDownLatch(2);
      List<CompletableFuture<Void>> closed = new ArrayList<>();
      for (Purgatory<String> each : List.of(one, two)) {
        Purgatory<String> other = each == one ? two : one;
        closed.add(
            each.<String>until(() -> null)
                // Until then, a dependent would run on this thread and wait.
                .orAfter(Duration.ofMillis(1), attached::join)
                .hold("k")
                .thenAccept(
                    x -> {
                      both.countDown();
                      try {
                        Threads.await(both);
                      } catch (InterruptedException e) {
                        throw new AssertionError(e);
                      }
                      other.close();
                    }));
      }
      attached.complete("x");
      for (CompletableFuture<Void> each : closed) {
        each.orTimeout(Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
      }
    }

    @Test
    void closeWithATimeout_runsNoDependentOnItsCaller() {
      QueueingExecutor stuck = new QueueingExecutor();
      Purgatory<String> closing =
          Purgatory.builder("late", String.class).expirationExecutor(stuck).build();
      List<Thread> seen = new CopyOnWriteArrayList<>();
      List<CompletableFuture<Boolean>> dependents = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        dependents.add(
            closing
                .<String>until(() -> null)
                .forever()
                .hold("k")
                .handle((value, error) -> seen.add(Thread.currentThread())));
      }
      assertThat(closing.close(Duration.ofMillis(1))).hasSize(100);
      dependents.forEach(
          each -> each.orTimeout(Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
      assertThat(seen).hasSize(100).doesNotContain(Thread.currentThread());
    }

    @Test
    void purgatoriesThatAreSlightlyActive_shareAFewThreads() {
      Timer timer = Timer.builder().start("purgatory-shared-clock");
      List<Purgatory<String>> many = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        many.add(Purgatory.builder("shared" + i, String.class).timer(timer).build());
      }
      for (Purgatory<String> each : many) {
        HeldFuture<String> future = each.<String>until(() -> null).forever().hold("k");
        assertThat(future.complete("x")).isTrue();
      }
      AtomicLong most = new AtomicLong();
      Threads.until(
          () -> {
            most.accumulateAndGet(
                Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("purgatory-shared"))
                    .count(),
                Math::max);
            return many.stream().allMatch(each -> each.inspect().keys() == 0);
          });
      assertThat(most.get()).isLessThanOrEqualTo(64 + 1);
      many.forEach(Purgatory::close);
      timer.close();
    }

    @Test
    void holdWithoutATimeLimit_startsTheClock_soThatItsEndNeedNot() {
      List<Thread> clocks = new CopyOnWriteArrayList<>();
      Timer timer =
          Timer.builder().start(task -> noted(clocks, new Thread(task, "purgatory-kept-clock")));
      Purgatory<String> kept = Purgatory.builder("kept", String.class).timer(timer).build();
      HeldFuture<String> future = kept.<String>until(() -> null).forever().hold("k");
      assertThat(clocks).hasSize(1);
      assertThat(clocks.get(0).getState()).isNotEqualTo(Thread.State.NEW);
      assertThat(future.complete("x")).isTrue();
      assertThat(clocks).hasSize(1);
      assertThat(timer.size()).isZero();
      Threads.until(() -> !clocks.get(0).isAlive()); // the purge has released it
      kept.close();
      timer.close();
    }

    private static Thread noted(List<Thread> clocks, Thread thread) {
      thread.setDaemon(true);
      clocks.add(thread);
      return thread;
    }

    /** The alarm that kept the clock may stay in the timer for a day. */
    @Test
    void closedPurgatory_becomesUnreachable_ofATimerThatOthersUse() {
      Timer timer = Timer.builder().start("bounds-others");
      timer.schedule(() -> {}, Duration.ofDays(1));
      WeakReference<PurgatoryListener> listener = timeOutAndClose(timer);
      Threads.until(
          () -> {
            System.gc();
            return listener.get() == null;
          });
      timer.close();
    }

    private static WeakReference<PurgatoryListener> timeOutAndClose(Timer timer) {
      PurgatoryListener listener = new PurgatoryListener() {};
      Purgatory<String> purgatory =
          Purgatory.builder("closed", String.class).timer(timer).listener(listener).build();
      HeldFuture<String> future =
          purgatory.<String>until(() -> null).orTimeout(Duration.ofMillis(1)).hold("k");
      Threads.until(() -> future.isDone() && purgatory.inspect().keys() == 0);
      purgatory.close();
      return new WeakReference<>(listener);
    }

    /** The timer has no entry for longer than its thread waits. */
    @Test
    void requestThatWaitsToExpire_keepsTheClock_soThatItsEndNeedNotStartIt()
        throws InterruptedException {
      List<Thread> clocks = new CopyOnWriteArrayList<>();
      Timer timer =
          TimerView.idleNanos(Timer.builder(), 1_000_000)
              .start(task -> noted(clocks, new Thread(task, "purgatory-expiring-clock")));
      QueueingExecutor busy = new QueueingExecutor();
      Purgatory<String> purgatory =
          Purgatory.builder("expiring", String.class).timer(timer).expirationExecutor(busy).build();
      HeldFuture<String> future =
          purgatory.<String>until(() -> null).orTimeout(Duration.ofMillis(1)).hold("k");
      Threads.until(() -> busy.size() == 1);
      assertThat(timer.size()).isZero();
      clocks.get(0).join(50);
      assertThat(future.cancel(false)).isTrue();
      assertThat(clocks).hasSize(1);
      Threads.until(() -> purgatory.inspect().keys() == 0 && !clocks.get(0).isAlive());
      purgatory.close();
      timer.close();
    }

    @Test
    void closeWhileTheFirstRequestStartsTheClock_leavesNothingInTheTimer() {
      AtomicReference<@Nullable Purgatory<String>> closing = new AtomicReference<>();
      Timer timer =
          Timer.builder()
              .start(
                  task -> {
                    Thread thread =
                        new Thread(task, "purgatory-left-clock") {
                          @Override
                          public synchronized void start() {
                            requireNonNull(closing.get()).close();
                            super.start();
                          }
                        };
                    thread.setDaemon(true);
                    return thread;
                  });
      Purgatory<String> closed = Purgatory.builder("closed", String.class).timer(timer).build();
      closing.set(closed);
      HeldFuture<String> future = closed.<String>until(() -> null).forever().hold("k");
      assertThat(future).isCompletedExceptionally();
      TimerInternals.of(timer).wheels().purge();
      assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
      timer.close();
    }
  }
}
