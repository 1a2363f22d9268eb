package dev.purgatory.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The threads of a timer, and the lanes that they serve. */
class LaneTest {
  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Lane lane = TimerInternals.of(timer).helpers().lane("purgatory-lane", 4);
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger blocked = new AtomicInteger();

  @AfterEach
  void releaseAll() {
    release.countDown();
  }

  private void block() {
    blocked.incrementAndGet();
    try {
      Threads.await(release);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void blockLane(Lane each) {
    int before = blocked.get();
    each.execute(this::block);
    Threads.until(() -> blocked.get() > before);
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  /** A task that becomes obsolete. */
  private record Ending(AtomicBoolean ended, AtomicInteger runs) implements Lane.Task {
    @Override
    public boolean isObsolete() {
      return ended.get();
    }

    @Override
    public void run() {
      runs.incrementAndGet();
    }
  }

  @Test
  void thread_endsAfterASecondWithoutWork() {
    AtomicReference<@Nullable Thread> helper = new AtomicReference<>();
    lane.execute(() -> helper.set(Thread.currentThread()));
    Threads.until(
        () -> {
          Thread thread = helper.get();
          return thread != null && !thread.isAlive();
        });
  }

  @Test
  void burst_leavesNoMemoryBehind() {
    AtomicInteger runs = new AtomicInteger();
    blockLane(lane);
    for (int i = 0; i < 10_000; i++) {
      lane.execute(runs::incrementAndGet);
    }
    assertThat(lane.capacity()).isGreaterThanOrEqualTo(10_000);
    release.countDown();
    assertThat(lane.await(Threads.PATIENCE.toNanos())).isTrue();
    assertThat(runs).hasValue(10_000);
    assertThat(lane.capacity()).isLessThan(100);
  }

  @Test
  void tasks_runOneAfterAnother_inOrder_underTheNameOfTheLane() {
    List<String> seen = new CopyOnWriteArrayList<>();
    List<String> expected = new ArrayList<>();
    AtomicInteger running = new AtomicInteger();
    for (int i = 0; i < 1_000; i++) {
      String number = " " + i;
      expected.add("purgatory-lane" + number);
      lane.execute(
          () -> {
            assertThat(running.incrementAndGet()).isEqualTo(1);
            seen.add(Thread.currentThread().getName() + number);
            running.decrementAndGet();
          });
    }
    // Without await(), which takes a thread that is not running for one that is blocked.
    Threads.until(() -> seen.size() == expected.size());
    assertThat(seen).isEqualTo(expected);
    Threads.until(() -> !Threads.isAlive("purgatory-lane"));
  }

  @Test
  void taskThatThrows_harmsNoOther() {
    AtomicInteger runs = new AtomicInteger();
    lane.execute(
        () -> {
          throw new LinkageError("expected");
        });
    lane.execute(runs::incrementAndGet);
    assertThat(lane.await(Threads.PATIENCE.toNanos())).isTrue();
    assertThat(runs).hasValue(1);
  }

  /** Neither can a thread take the name of this lane, nor can the lane drop obsolete tasks. */
  @Test
  @SuppressWarnings("NullAway") // a lane without a name
  void helperThatFailsInItsLoop_isNotLost_andNoTaskIs() {
    Lane broken = TimerInternals.of(timer).helpers().lane(null, 4);
    AtomicInteger runs = new AtomicInteger();
    for (int i = 1; i <= 2 * Helpers.MOST; i++) { // else none would be left
      int expected = i;
      broken.execute(new Failing());
      broken.execute(runs::incrementAndGet);
      Threads.until(() -> runs.get() == expected);
    }
    lane.execute(runs::incrementAndGet);
    Threads.until(() -> runs.get() == 2 * Helpers.MOST + 1);
  }

  /** A task that fails the thread that takes it. */
  private static final class Failing implements Lane.Task {
    @Override
    public boolean isObsolete() {
      throw new OutOfMemoryError("by the test");
    }

    @Override
    public void run() {}
  }

  @Test
  void taskThatBlocks_isOvertaken_byAsManyThreadsAsAllowed() {
    AtomicInteger runs = new AtomicInteger();
    blockLane(lane);
    for (int i = 0; i < 10; i++) {
      lane.execute(this::block);
    }
    lane.execute(runs::incrementAndGet);
    Threads.until(
        () -> {
          pass(Duration.ofMillis(11));
          return blocked.get() == 4;
        });
    pass(Duration.ofSeconds(1));
    assertThat(blocked).hasValue(4);
    assertThat(runs).hasValue(0);
    release.countDown();
    assertThat(lane.await(Threads.PATIENCE.toNanos())).isTrue();
    assertThat(runs).hasValue(1);
    assertThat(blocked).hasValue(11);
  }

  @Test
  void tasksThatAreObsolete_areDropped_behindOneThatBlocks() {
    AtomicInteger runs = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean(true);
    blockLane(lane);
    for (int i = 0; i < 10_000; i++) {
      lane.execute(new Ending(ended, runs));
    }
    assertThat(lane.size()).isLessThan(100);
    ended.set(false);
    for (int i = 0; i < 10_000; i++) {
      lane.execute(new Ending(ended, runs));
    }
    assertThat(lane.size()).isGreaterThanOrEqualTo(10_000);
    ended.set(true);
    lane.sweep();
    assertThat(lane.size()).isZero();
    release.countDown();
    assertThat(lane.await(Threads.PATIENCE.toNanos())).isTrue();
    assertThat(runs).hasValue(0);
  }

  @Test
  void laneThatHurries_hasAThreadForEachTask_upToItsMost() {
    Lane concurrent = TimerInternals.of(timer).helpers().lane("purgatory-concurrent", 4);
    concurrent.hurry();
    for (int i = 0; i < 10; i++) {
      concurrent.execute(this::block);
    }
    Threads.until(() -> blocked.get() == 4);
    assertThat(concurrent.size()).isEqualTo(6);
    release.countDown();
    assertThat(concurrent.await(Threads.PATIENCE.toNanos())).isTrue();
    assertThat(blocked).hasValue(10);
  }

  @Test
  void closedLane_runsTasksOnTheThreadThatAddsThem() {
    List<Thread> seen = new ArrayList<>();
    lane.close();
    lane.execute(() -> seen.add(Thread.currentThread()));
    assertThat(seen).containsExactly(Thread.currentThread());
  }

  @Test
  void await_endsInTime_andKeepsTheInterrupt() {
    blockLane(lane);
    assertThat(lane.await(1)).isFalse();
    assertThat(lane.await(-1)).isFalse();
    Thread.currentThread().interrupt();
    assertThat(lane.await(Long.MAX_VALUE)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
    release.countDown();
    assertThat(lane.await(Long.MAX_VALUE)).isTrue();
  }

  @Test
  void threadsOfAllLanes_areFew_andEndWithoutWork() {
    List<Lane> lanes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Lane each = TimerInternals.of(timer).helpers().lane("purgatory-many", 16);
      each.hurry();
      lanes.add(each);
      for (int k = 0; k < 16; k++) {
        each.execute(this::block);
      }
    }
    Threads.until(() -> blocked.get() == Helpers.MOST);
    assertThat(Threads.named("purgatory-many")).isEqualTo(Helpers.MOST);
    release.countDown();
    for (Lane each : lanes) {
      assertThat(each.await(Threads.PATIENCE.toNanos())).isTrue();
    }
    assertThat(blocked).hasValue(20 * 16);
    Threads.until(() -> !Threads.isAlive("purgatory-many"));
  }

  @Test
  void threadThatAddsATask_startsNone_theClockDoes() throws InterruptedException {
    ThreadGroup clocks = new ThreadGroup("clocks");
    ThreadGroup callers = new ThreadGroup("callers");
    Timer driven = Timer.builder().start(task -> daemon(clocks, task));
    Lane driving = TimerInternals.of(driven).helpers().lane("purgatory-driven", 4);
    List<String> groups = new CopyOnWriteArrayList<>();
    Thread caller =
        daemon(
            callers,
            () -> {
              driving.execute(this::block);
              driving.execute(() -> groups.add(Thread.currentThread().getThreadGroup().getName()));
            });
    caller.start();
    Threads.until(() -> groups.size() == 1);
    assertThat(groups).containsExactly("clocks");
    caller.join(TimeUnit.SECONDS.toMillis(Threads.PATIENCE.toSeconds()));
    release.countDown();
    assertThat(driving.await(Threads.PATIENCE.toNanos())).isTrue();
    driven.close();
  }

  private static Thread daemon(ThreadGroup group, Runnable task) {
    Thread thread = new Thread(group, task, "in-" + group.getName());
    thread.setDaemon(true);
    return thread;
  }

  @Test
  void interruptThatATaskLeaves_reachesNoOther() {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    Runnable task =
        () -> {
          interrupted.add(Thread.currentThread().isInterrupted());
          Thread.currentThread().interrupt();
        };
    lane.execute(task);
    lane.execute(
        () -> {
          task.run();
          throw new AssertionError("logged");
        });
    lane.execute(task);
    Threads.until(() -> interrupted.size() == 3);
    assertThat(interrupted).containsOnly(false);
  }

  @Test
  void interruptOfTheCallerOfAClosedLane_staysAndReachesNoTask() {
    List<Boolean> interrupted = new ArrayList<>();
    lane.close();
    Thread.currentThread().interrupt();
    lane.execute(() -> interrupted.add(Thread.currentThread().isInterrupted()));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(interrupted).containsExactly(false);
  }

  @Test
  void threadOfTheClockCannotStart_tasksRun() {
    AtomicBoolean fails = new AtomicBoolean();
    Timer broken =
        Timer.builder()
            .start(
                task -> {
                  if (fails.get()) {
                    throw new OutOfMemoryError("by the test");
                  }
                  return new Thread(task);
                });
    Lane each = TimerInternals.of(broken).helpers().lane("purgatory-lane", 4);
    fails.set(true);
    CountDownLatch runs = new CountDownLatch(2);
    broken.schedule(() -> {}, Duration.ZERO); // on the first thread, made by the builder
    each.execute(runs::countDown);
    Threads.until(() -> runs.getCount() == 1);
    Threads.until(() -> Threads.named("purgatory-helper") == 0);
    each.execute(runs::countDown);
    Threads.until(() -> runs.getCount() == 0);
    broken.close();
  }
}
