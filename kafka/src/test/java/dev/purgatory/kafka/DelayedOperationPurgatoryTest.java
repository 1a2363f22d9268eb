package dev.purgatory.kafka;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationKey;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.MockTimer;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Behavior that the drop-in shares with stock Kafka and that Kafka's own tests do not cover. */
@Timeout(60)
class DelayedOperationPurgatoryTest {
  private static final long LONG_MS = TimeUnit.HOURS.toMillis(1);
  private static final int PURGE_INTERVAL = 100;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  @Test
  void operationsThatDoNotExpireAreNotCountedAsDelayed() throws Exception {
    DelayedOperationPurgatory<Request> purgatory =
        purgatory(new SystemTimer("test"), /* reaperEnabled= */ true, /* timerEnabled= */ false);
    Request request = new Request(1);

    purgatory.tryCompleteElseWatch(request, List.of(key("a")));

    assertThat(purgatory.watched()).isOne();
    assertThat(purgatory.numDelayed()).isZero();
    assertThat(request.forceComplete()).isTrue();
    purgatory.shutdown();
  }

  @Test
  void operationIsNotCheckedAgainWhenItTimesOut() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    Request request = new Request(1);

    purgatory.tryCompleteElseWatch(request, List.of(key("a")));
    request.expired.await();

    // Fewer than two if the operation expires while it is being added.
    assertThat(request.checks).hasValueLessThanOrEqualTo(2);
    purgatory.shutdown();
  }

  @Test
  void checkFromWithinAnAnswerRunsImmediately() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    Request inner = new Request(LONG_MS);
    AtomicInteger completedWithin = new AtomicInteger();
    Request outer =
        new Request(LONG_MS) {
          @Override
          public void onComplete() {
            inner.answerable = true;
            completedWithin.set(purgatory.checkAndComplete(key("inner")));
          }
        };
    purgatory.tryCompleteElseWatch(inner, List.of(key("inner")));
    purgatory.tryCompleteElseWatch(outer, List.of(key("outer")));

    outer.answerable = true;
    assertThat(purgatory.checkAndComplete(key("outer"))).isOne();

    assertThat(completedWithin).hasValue(1);
    assertThat(inner.isCompleted()).isTrue();
    purgatory.shutdown();
  }

  @Test
  void completionWithHardlyAnyStackChangesNothing() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    AtomicInteger answers = new AtomicInteger();
    Request request =
        new Request(LONG_MS) {
          @Override
          public void onComplete() {
            answers.incrementAndGet();
          }
        };
    Request first =
        new Request(LONG_MS); // links what completes it, for which there would be no stack
    purgatory.tryCompleteElseWatch(first, List.of(key("a")));
    assertThat(first.forceComplete()).isTrue();
    purgatory.tryCompleteElseWatch(request, List.of(key("a")));

    completeAtTheEndOfTheStack(request);

    assertThat(request.isCompleted() || request.forceComplete()).isTrue();
    assertThat(answers).hasValue(1);
    purgatory.shutdown();
  }

  @Test
  void operationWhoseReleaseFailsIsAnswered() {
    AtomicInteger answers = new AtomicInteger();
    OutOfMemoryError expected = new OutOfMemoryError("expected by the test");
    Request request =
        new Request(LONG_MS) {
          @Override
          public void cancel() {
            throw expected;
          }

          @Override
          public void onComplete() {
            answers.incrementAndGet();
          }
        };

    assertThatThrownBy(request::forceComplete).isSameAs(expected);

    assertThat(request.isCompleted()).isTrue();
    assertThat(answers).hasValue(1);
  }

  @SuppressWarnings("InfiniteRecursion") // it ends with the stack
  private static void completeAtTheEndOfTheStack(Request request) {
    try {
      completeAtTheEndOfTheStack(request);
    } catch (StackOverflowError e) {
      request.forceComplete();
    }
  }

  @Test
  void shutdownDoesNotWaitForAnAnswerOnAnotherThread() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    CountDownLatch answering = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Request hanging =
        new Request(LONG_MS) {
          @Override
          public void onComplete() {
            answering.countDown();
            awaitUninterruptibly(released);
          }
        };
    purgatory.tryCompleteElseWatch(hanging, List.of(key("a")));
    hanging.answerable = true;
    Future<Integer> event = threads.submit(() -> purgatory.checkAndComplete(key("a")));
    answering.await();

    purgatory.shutdown();

    assertThat(event.isDone()).isFalse();
    released.countDown();
    event.get();
    assertThat(hanging.isCompleted()).isTrue();
  }

  @Test
  void shutdownEndsDuringAnAnswerOnTheThreadOfTheTimer() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    CountDownLatch answering = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    answerOnThreadOfTheTimer(
        purgatory,
        () -> {
          answering.countDown();
          awaitUninterruptibly(released);
        });
    answering.await();

    purgatory.shutdown();

    assertThat(released.getCount()).isOne();
    released.countDown();
  }

  /** An interrupt would close the file: Kafka then takes the folder of the log offline. */
  @Test
  void shutdownDoesNotInterruptTheThreadOfTheTimer_whichMayReadAFile(@TempDir Path folder)
      throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    CountDownLatch answering = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    try (FileChannel file = FileChannel.open(folder.resolve("log"), CREATE, READ, WRITE)) {
      answerOnThreadOfTheTimer(
          purgatory,
          () -> {
            answering.countDown();
            awaitUninterruptibly(released);
            try {
              file.read(ByteBuffer.allocate(1), 0);
            } catch (IOException e) {
              assertThat(e).isInstanceOf(ClosedByInterruptException.class);
            }
            read.countDown();
          });
      answering.await();

      purgatory.shutdown();
      released.countDown();
      read.await();

      assertThat(file.isOpen()).isTrue();
    }
  }

  /** Nests so many answers that the last one runs on the thread of the timer. */
  private static void answerOnThreadOfTheTimer(
      DelayedOperationPurgatory<Request> purgatory, Runnable lastAnswer) {
    int tooDeep = 100;
    for (int depth = 0; depth <= tooDeep; depth++) {
      DelayedOperationKey next = key("depth-" + (depth + 1));
      boolean last = depth == tooDeep;
      Request request =
          new Request(LONG_MS) {
            @Override
            public void onComplete() {
              if (last) {
                lastAnswer.run();
              } else {
                purgatory.checkAndComplete(next);
              }
            }
          };
      purgatory.tryCompleteElseWatch(request, List.of(key("depth-" + depth)));
      request.answerable = true;
    }
    purgatory.checkAndComplete(key("depth-0"));
  }

  @Test
  void shutdownDoesNotWaitForAnExpirationThatHangs() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    CountDownLatch released = new CountDownLatch(1);
    Request hanging =
        new Request(1) {
          @Override
          public void onExpiration() {
            super.onExpiration();
            awaitUninterruptibly(released);
          }
        };
    purgatory.tryCompleteElseWatch(hanging, List.of(key("a")));
    hanging.expired.await();

    purgatory.shutdown();

    assertThat(released.getCount()).isOne();
    released.countDown();
  }

  @Test
  void shutdownOfAnInterruptedThread_releasesAll() throws Exception {
    DelayedOperationPurgatory<Request> purgatory =
        purgatory(new MockTimer(), /* reaperEnabled= */ false, /* timerEnabled= */ true);
    for (String each : List.of("a", "b")) {
      purgatory.tryCompleteElseWatch(new Request(LONG_MS), List.of(key(each)));
    }

    Thread.currentThread().interrupt();
    purgatory.shutdown();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(purgatory.watched()).isZero();
  }

  @Test
  void expirationThatCannotBeHandedOverRunsOnTheThreadOfTheClock() throws Exception {
    SystemTimer timer =
        new SystemTimer("without memory") {
          @Override
          public void execute(Runnable task) {
            throw new OutOfMemoryError("expected by the test");
          }
        };
    DelayedOperationPurgatory<Request> purgatory =
        purgatory(timer, /* reaperEnabled= */ false, /* timerEnabled= */ true);
    Request request = new Request(1);
    purgatory.tryCompleteElseWatch(request, List.of(key("a")));

    assertThat(timer.advanceClock(LONG_MS)).isTrue();

    assertThat(request.expired.getCount()).isZero();
    purgatory.shutdown();
  }

  /** On stock, it stays on its lists, without a timeout. */
  @Test
  void operationWhoseTimeoutCannotBeginIsNotHeld() throws Exception {
    OutOfMemoryError expected = new OutOfMemoryError("expected by the test");
    Timer timer =
        new MockTimer() {
          @Override
          public void add(TimerTask task) {
            throw expected;
          }

          @Override
          public void close() {}
        };
    DelayedOperationPurgatory<Request> purgatory =
        purgatory(timer, /* reaperEnabled= */ false, /* timerEnabled= */ true);
    Request request = new Request(LONG_MS);

    assertThatThrownBy(() -> purgatory.tryCompleteElseWatch(request, List.of(key("a"))))
        .isSameAs(expected);

    assertThat(purgatory.cancelForKey(key("a"))).isEmpty();
    assertThat(request.isCompleted()).isFalse();
    purgatory.shutdown();
  }

  /** On stock, it throws if it comes in the same millisecond. */
  @Test
  void shutdownAgainDoesNothing() throws Exception {
    DelayedOperationPurgatory<Request> purgatory = new DelayedOperationPurgatory<>("test", 0);
    purgatory.shutdown();
    purgatory.shutdown();
  }

  @Test
  void listsArePurgedOnATimerOfAnotherKind() throws Exception {
    DelayedOperationPurgatory<Request> purgatory =
        purgatory(new MockTimer(), /* reaperEnabled= */ true, /* timerEnabled= */ true);

    holdAndComplete(purgatory, 10);

    awaitWatched(purgatory, 0);
    purgatory.shutdown();
  }

  @Test
  void listsArePurgedByCountWithoutAdvancingTheClock() throws Exception {
    DelayedOperationPurgatory<Request> purgatory =
        purgatory(new MockTimer(), /* reaperEnabled= */ false, /* timerEnabled= */ true);

    holdAndComplete(purgatory, 10);
    assertThat(purgatory.watched()).isPositive();
    holdAndComplete(purgatory, 2 * PURGE_INTERVAL);

    awaitWatched(purgatory, PURGE_INTERVAL);
    purgatory.shutdown();
  }

  private static DelayedOperationPurgatory<Request> purgatory(
      Timer timer, boolean reaperEnabled, boolean timerEnabled) {
    return new DelayedOperationPurgatory<>(
        "test", timer, 0, PURGE_INTERVAL, reaperEnabled, timerEnabled);
  }

  private static void holdAndComplete(DelayedOperationPurgatory<Request> purgatory, int requests) {
    for (int i = 0; i < requests; i++) {
      Request request = new Request(LONG_MS);
      purgatory.tryCompleteElseWatch(request, List.of(key("key-" + i)));
      assertThat(request.forceComplete()).isTrue();
    }
  }

  private static void awaitWatched(DelayedOperationPurgatory<Request> purgatory, int atMost)
      throws InterruptedException {
    while (purgatory.watched() > atMost) {
      Thread.sleep(1);
    }
  }

  /** Keeps the interrupt status. */
  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static DelayedOperationKey key(String name) {
    return new Key(name);
  }

  private record Key(String keyLabel) implements DelayedOperationKey {}

  /** Can be completed once {@link #answerable} is set. */
  private static class Request extends DelayedOperation {
    final AtomicInteger checks = new AtomicInteger();
    final CountDownLatch expired = new CountDownLatch(1);
    volatile boolean answerable;

    Request(long delayMs) {
      super(delayMs);
    }

    @Override
    public boolean tryComplete() {
      checks.incrementAndGet();
      return answerable && forceComplete();
    }

    @Override
    public void onComplete() {}

    @Override
    public void onExpiration() {
      expired.countDown();
    }
  }
}
