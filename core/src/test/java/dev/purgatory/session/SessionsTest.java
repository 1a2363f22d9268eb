package dev.purgatory.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.session.SessionEnd.Reason;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SessionsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration TICK = Duration.ofMillis(1);

  private final ManualTicker ticker = new ManualTicker();
  private final AtomicReference<Throwable> timerError = new AtomicReference<>();
  private final Timer timer = Timer.builder().ticker(ticker).errorHandler(timerError::set).build();
  private final List<SessionEnd<String, String>> ends =
      Collections.synchronizedList(new ArrayList<>());
  private final Sessions<String, String> sessions = withExecutor(ends::add, Runnable::run);

  private Sessions<String, String> withExecutor(
      Consumer<SessionEnd<String, String>> listener, Executor executor) {
    return new Sessions<>(timer, TIMEOUT, listener, executor);
  }

  @AfterEach
  void nothingIsLeft() {
    sessions.close();
    assertThat(sessions.size()).isZero();
    assertThat(timer.size()).isZero();
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  private List<String> owners() {
    return List.copyOf(ends).stream().map(SessionEnd::owner).toList(); // another thread may add
  }

  @Test
  void untouched_expiresAfterItsTimeout_neverEarly() {
    pass(Duration.ofMillis(3));
    Session<String, String> session = sessions.open("a", "owner");
    long opened = timer.now();
    pass(TIMEOUT.minusNanos(1));
    assertThat(session.isOpen()).isTrue();
    assertThat(session.key()).isEqualTo("a");
    assertThat(session.owner()).isEqualTo("owner");
    assertThat(sessions.get("a")).isSameAs(session);
    pass(Duration.ofNanos(1));
    assertThat(session.isOpen()).isFalse();
    assertThat(ends)
        .containsExactly(
            new SessionEnd<>(
                "a", "owner", Reason.EXPIRED, opened, opened + TIMEOUT.toNanos(), null));
    assertThat(ends.get(0).idle()).isEqualTo(TIMEOUT);
    assertThat(session.lastTouched()).isEqualTo(opened);
    assertThat(sessions.get("a")).isNull();
    assertThat(sessions.size()).isZero();
    assertThat(timer.size()).isZero();
  }

  @Test
  void touched_expiresAfterItsTimeoutSinceTheLastTouch() {
    Session<String, String> session = sessions.open("a", "owner");
    for (int i = 0; i < 100; i++) {
      pass(Duration.ofMillis(777));
      assertThat(i % 2 == 0 ? session.touch() : sessions.touch("a")).isTrue();
      assertThat(session.lastTouched()).isEqualTo(timer.now());
    }
    long last = timer.now();
    pass(TIMEOUT.minusNanos(1));
    assertThat(ends).isEmpty();
    pass(TICK);
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0).lastTouched()).isEqualTo(last);
    assertThat(ends.get(0).reason()).isEqualTo(Reason.EXPIRED);
  }

  @Test
  void touches_addNothingToTheTimer() {
    Session<String, String> session = sessions.open("a", "owner");
    for (int i = 0; i < 10_000; i++) {
      pass(Duration.ofMillis(700));
      assertThat(session.touch()).isTrue();
    }
    assertThat(timer.size()).isEqualTo(1);
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(1);
  }

  @Test
  void touch_afterTheEnd_isFalse_andChangesNothing() {
    Session<String, String> session = sessions.open("a", "owner");
    pass(TIMEOUT);
    pass(TIMEOUT);
    assertThat(session.touch()).isFalse();
    assertThat(sessions.touch("a")).isFalse();
    assertThat(sessions.touch("never opened")).isFalse();
    assertThat(session.lastTouched()).isZero();
    assertThat(session.close()).isFalse();
    assertThat(ends).hasSize(1);
  }

  @Test
  void touch_whenTheClockIsLate_keepsTheSessionOpen() {
    Session<String, String> session = sessions.open("a", "owner");
    ticker.advance(TIMEOUT.multipliedBy(3));
    assertThat(session.touch()).isTrue();
    timer.advance();
    pass(TIMEOUT.minusNanos(1));
    assertThat(session.isOpen()).isTrue();
    pass(TICK);
    assertThat(session.isOpen()).isFalse();
  }

  @Test
  void touch_withAnEarlierTime_doesNotMoveTheLastTouchBack() {
    SessionEntry<String, String> session = (SessionEntry<String, String>) sessions.open("a", "b");
    assertThat(session.touch(20)).isTrue();
    assertThat(session.touch(10)).isTrue();
    assertThat(session.lastTouched()).isEqualTo(20);
  }

  @Test
  void close_endsTheSessionOnce() {
    Session<String, String> session = sessions.open("a", "owner");
    pass(Duration.ofSeconds(1));
    assertThat(session.close()).isTrue();
    assertThat(session.close()).isFalse();
    assertThat(session.touch()).isFalse();
    assertThat(sessions.size()).isZero();
    assertThat(timer.size()).isZero();
    pass(TIMEOUT);
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0).reason()).isEqualTo(Reason.CLOSED);
    assertThat(ends.get(0).idle()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void open_again_takesOver() {
    Session<String, String> former = sessions.open("a", "former");
    pass(Duration.ofSeconds(4));
    Session<String, String> next = sessions.open("a", "next");
    assertThat(former.isOpen()).isFalse();
    assertThat(former.touch()).isFalse();
    assertThat(former.close()).isFalse();
    assertThat(sessions.get("a")).isSameAs(next);
    assertThat(sessions.size()).isEqualTo(1);
    assertThat(timer.size()).isEqualTo(1);
    assertThat(owners()).containsExactly("former");
    assertThat(ends.get(0).reason()).isEqualTo(Reason.TAKEN_OVER);
    pass(TIMEOUT.minusNanos(1));
    assertThat(next.isOpen()).isTrue();
    pass(TICK);
    assertThat(owners()).containsExactly("former", "next");
  }

  @Test
  void tryOpen_leavesAnOpenSessionAlone() {
    Session<String, String> first = requireNonNull(sessions.tryOpen("a", "first"));
    pass(Duration.ofSeconds(4));
    assertThat(sessions.tryOpen("a", "second")).isNull();
    assertThat(first.lastTouched()).isZero();
    assertThat(timer.size()).isEqualTo(1);
    pass(Duration.ofSeconds(6));
    assertThat(owners()).containsExactly("first");
    assertThat(sessions.tryOpen("a", "third")).isNotNull();
  }

  @Test
  void open_withATimeoutOfItsOwn() {
    sessions.open("short", "short", Duration.ofSeconds(1));
    sessions.open("long", "long", Duration.ofDays(365));
    Session<String, String> endless =
        sessions.open("endless", "endless", Duration.ofSeconds(Long.MAX_VALUE));
    pass(Duration.ofSeconds(1));
    assertThat(owners()).containsExactly("short");
    assertThat(endless.touch()).isTrue();
    pass(Duration.ofDays(365));
    assertThat(owners()).containsExactly("short", "long");
    pass(Duration.ofDays(365 * 200));
    assertThat(endless.touch()).isTrue();
  }

  @Test
  void close_endsAll_andOpensNoOther() {
    for (int i = 0; i < 10; i++) {
      sessions.open("key " + i, "owner");
    }
    sessions.close();
    sessions.close();
    assertThat(ends).hasSize(10).allMatch(end -> end.reason() == Reason.CLOSED);
    assertThat(sessions.size()).isZero();
    assertThat(timer.size()).isZero();
    assertThatThrownBy(() -> sessions.open("a", "owner"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> sessions.tryOpen("a", "owner"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void open_onAClosedTimer_changesNothing() {
    Session<String, String> session = sessions.open("a", "owner");
    timer.close();
    assertThatThrownBy(() -> sessions.open("a", "other")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> sessions.open("b", "other")).isInstanceOf(IllegalStateException.class);
    assertThat(session.touch()).isTrue();
    assertThat(sessions.size()).isEqualTo(1);
    assertThat(ends).isEmpty();
  }

  @Test
  @SuppressWarnings("NullAway") // passes null on purpose
  void badArguments_changeNothing() {
    Session<String, String> session = sessions.open("a", "owner");
    for (Duration bad : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
      assertThatThrownBy(() -> sessions.open("a", "other", bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("positive");
      assertThatThrownBy(() -> new Sessions<String, String>(timer, bad, ends::add))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> sessions.open(null, "b")).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> sessions.open("a", null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> sessions.tryOpen("a", null)).isInstanceOf(NullPointerException.class);
    assertThat(session.isOpen()).isTrue();
    assertThat(timer.size()).isEqualTo(1);
  }

  /** A key that fails when a test wants it to. */
  private static final class Hostile {
    boolean fails;

    @Override
    public int hashCode() {
      if (fails) {
        throw new IllegalStateException("hostile key");
      }
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Test
  void keyThatThrows_affectsNoOtherSession() {
    List<SessionEnd<Object, String>> told = new ArrayList<>();
    try (Sessions<Object, String> any = new Sessions<>(timer, TIMEOUT, told::add, Runnable::run)) {
      Hostile key = new Hostile();
      any.open(key, "hostile");
      any.open("a", "other");
      key.fails = true;
      assertThatThrownBy(() -> any.open(key, "again")).hasMessage("hostile key");
      assertThat(timer.size()).isEqualTo(2);
      pass(TIMEOUT);
      assertThat(told).extracting(SessionEnd::owner).containsExactly("other");
      assertThat(timerError.get()).hasMessage("hostile key");
      key.fails = false;
      pass(TIMEOUT);
      assertThat(told).extracting(SessionEnd::owner).containsExactly("other", "hostile");
    }
  }

  @Test
  void expiryWithoutMemory_isRepeatedSoon() {
    List<SessionEnd<Object, String>> told = new ArrayList<>();
    try (Sessions<Object, String> any = new Sessions<>(timer, TIMEOUT, told::add, Runnable::run)) {
      Hooked key = new Hooked();
      any.open(key, "owner");
      AtomicInteger failures = new AtomicInteger(2);
      key.hook =
          () -> {
            if (failures.getAndDecrement() > 0) {
              throw new OutOfMemoryError("expected");
            }
          };
      pass(TIMEOUT);
      assertThat(told).isEmpty();
      pass(Duration.ofMillis(20));
      pass(Duration.ofMillis(20));
      assertThat(told).hasSize(1);
    }
  }

  /** A key whose hash is read while its session expires. */
  private static final class Hooked {
    Runnable hook = () -> {};

    @Override
    public int hashCode() {
      hook.run();
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Test
  void touch_afterTheClockFoundTheSessionDue_keepsItOpen() {
    List<SessionEnd<Object, String>> told = new ArrayList<>();
    try (Sessions<Object, String> any = new Sessions<>(timer, TIMEOUT, told::add, Runnable::run)) {
      Hooked key = new Hooked();
      Session<Object, String> session = any.open(key, "owner");
      List<Boolean> touches = new ArrayList<>();
      key.hook = () -> touches.add(session.touch());
      pass(TIMEOUT);
      key.hook = () -> {};
      assertThat(touches).isNotEmpty().doesNotContain(false);
      assertThat(session.isOpen()).isTrue();
      assertThat(told).isEmpty();
      pass(TIMEOUT);
      assertThat(told).hasSize(1);
    }
  }

  @Test
  void open_whileTheSessionsAreClosed_throws_andTellsNobody() {
    List<SessionEnd<Object, String>> told = new ArrayList<>();
    List<BiConsumer<Sessions<Object, String>, Object>> ways =
        List.of((any, key) -> any.open(key, "owner"), (any, key) -> any.tryOpen(key, "owner"));
    for (var way : ways) {
      Sessions<Object, String> any = new Sessions<>(timer, TIMEOUT, told::add, Runnable::run);
      Hooked key = new Hooked();
      key.hook = any::close;
      assertThatThrownBy(() -> way.accept(any, key))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the sessions are closed");
      assertThat(any.size()).isZero();
      assertThat(timer.size()).isZero();
    }
    assertThat(told).isEmpty();
  }

  @Test
  void end_isDescribedForLogs() {
    sessions.open("a", "owner");
    pass(TIMEOUT);
    assertThat(ends.get(0)).hasToString("SessionEnd[a of owner, EXPIRED, idle for PT10S]");
  }

  @Test
  void keysAndOwners_areEscapedInLogs() {
    assertThat(sessions.open("a\n", "owner\n"))
        .hasToString("open session of a\\u000a, touched at 0");
    pass(TIMEOUT);
    assertThat(ends.get(0))
        .hasToString("SessionEnd[a\\u000a of owner\\u000a, EXPIRED, idle for PT10S]");
  }

  @Test
  void interruptThatAListenerLeaves_doesNotReachTheNext() {
    List<Boolean> interrupted = new ArrayList<>();
    try (Sessions<String, String> own =
        withExecutor(
            end -> {
              interrupted.add(Thread.currentThread().isInterrupted());
              Thread.currentThread().interrupt();
            },
            Runnable::run)) {
      own.open("a", "one");
      own.open("b", "two");
      pass(TIMEOUT);
    }
    boolean unused = Thread.interrupted();
    assertThat(interrupted).containsExactly(false, false);
  }

  @Test
  void listenerThatThrows_affectsNoOther() {
    List<String> told = new ArrayList<>();
    try (Sessions<String, String> faulty =
        withExecutor(
            end -> {
              told.add(end.owner());
              throw new AssertionError("a faulty listener");
            },
            Runnable::run)) {
      faulty.open("a", "one");
      faulty.open("b", "two");
      pass(TIMEOUT);
      assertThat(told).containsExactly("one", "two");
      assertThat(timerError.get()).isNull();
    }
  }

  @Test
  void executorThatRejects_isReplacedByAThreadOfTheLibrary() {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    try (Sessions<String, String> rejected =
        withExecutor(
            end -> told.add(end.owner() + " on " + Thread.currentThread().getName()),
            task -> {
              throw new RejectedExecutionException("full");
            })) {
      rejected.open("a", "one");
      pass(TIMEOUT);
      Threads.until(() -> told.contains("one on purgatory-sessions"));
      assertThat(timerError.get()).isNull();
    }
  }

  @Test
  void executorThatRunsATaskTwice_orThrowsAfterwards_tellsOnce() {
    try (Sessions<String, String> twice =
        withExecutor(
            ends::add,
            task -> {
              task.run();
              task.run();
              throw new IllegalStateException("after it ran the task");
            })) {
      for (String key : List.of("a", "b", "c")) {
        twice.open(key, key);
        pass(TIMEOUT);
      }
    }
    assertThat(owners()).containsExactly("a", "b", "c");
  }

  @Test
  void executorThatIsLate_getsOneTaskForManyEnds() {
    QueueingExecutor late = new QueueingExecutor();
    try (Sessions<String, String> queued = withExecutor(ends::add, late)) {
      for (int i = 0; i < 100; i++) {
        queued.open("a", "owner " + i);
      }
      assertThat(late.size()).isEqualTo(1);
      late.runAll();
      assertThat(ends).hasSize(99);
      pass(TIMEOUT);
      assertThat(late.size()).isEqualTo(1);
      late.runAll();
      assertThat(ends).hasSize(100);
    }
  }

  @Test
  void executorThatDropsATask_isAskedAgain_andTellsOnce() {
    List<Runnable> dropped = new ArrayList<>();
    try (Sessions<String, String> forgetful =
        withExecutor(
            ends::add,
            task -> {
              dropped.add(task);
              if (dropped.size() % 2 == 0) {
                task.run();
              }
            })) {
      for (String key : List.of("a", "b")) {
        forgetful.open(key, key);
        pass(TIMEOUT);
        assertThat(owners()).doesNotContain(key);
        pass(Duration.ofSeconds(1));
        assertThat(owners()).endsWith(key);
      }
      assertThat(timer.size()).isZero();
    }
    dropped.forEach(Runnable::run);
    assertThat(owners()).containsExactly("a", "b");
  }

  @Test
  void withoutAnExecutor_onATimerThatTheCallerDrives_theListenerRunsWhenTheTimeAdvances() {
    Thread test = Thread.currentThread();
    List<Thread> threads = new ArrayList<>();
    try (Sessions<String, String> driven =
        new Sessions<>(timer, TIMEOUT, end -> threads.add(Thread.currentThread()))) {
      driven.open("a", "owner");
      pass(TIMEOUT);
      assertThat(threads).containsExactly(test);
      driven.open("a", "owner").close();
      assertThat(threads).as("no listener runs in close()").hasSize(1);
      timer.advance();
      assertThat(threads).containsExactly(test, test);
    }
  }

  @Test
  void close_keyThatThrows_keepsNoOtherSessionOpen() {
    List<SessionEnd<Object, String>> told = new ArrayList<>();
    Sessions<Object, String> any = new Sessions<>(timer, TIMEOUT, told::add, Runnable::run);
    Hostile key = new Hostile();
    any.open(key, "hostile");
    for (int i = 0; i < 10; i++) {
      any.open(i, "other");
    }
    key.fails = true;
    any.close();
    assertThat(told).hasSize(10).allMatch(end -> end.owner().equals("other"));
    assertThat(any.size()).isEqualTo(1);
    key.fails = false;
    any.close();
    assertThat(told).hasSize(11);
  }

  @Test
  void listenerOrExecutorThatBlocks_doesNotBlockTheClock() throws InterruptedException {
    for (boolean byTheListener : List.of(true, false)) {
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch leave = new CountDownLatch(1);
      AtomicInteger told = new AtomicInteger();
      Runnable block =
          () -> {
            entered.countDown();
            awaitUnchecked(leave);
          };
      Duration brief = Duration.ofMillis(1);
      try (Timer clock = Timer.builder().start("test-clock");
          Sessions<String, String> blocked =
              byTheListener
                  ? new Sessions<>(
                      clock,
                      brief,
                      end -> {
                        block.run();
                        told.incrementAndGet();
                      })
                  : new Sessions<>(
                      clock,
                      brief,
                      end -> told.incrementAndGet(),
                      task -> {
                        block.run();
                        task.run();
                      })) {
        blocked.open("a", "one");
        Threads.await(entered);
        Session<String, String> other = blocked.open("b", "two");
        Threads.until(() -> !other.isOpen());
        assertThat(told).hasValue(0);
        leave.countDown();
        Threads.until(() -> told.get() == 2);
      }
    }
  }

  @Test
  void takeOverByATaskOfTheClock_callsTheExecutorOnAnotherThread() {
    Queue<Thread> callers = new ConcurrentLinkedQueue<>();
    AtomicReference<Thread> driver = new AtomicReference<>();
    try (Timer clock = Timer.builder().start("test-clock");
        Sessions<String, String> own =
            new Sessions<>(
                clock,
                TIMEOUT,
                end -> {},
                task -> {
                  callers.add(Thread.currentThread());
                  task.run();
                })) {
      own.open("a", "one");
      clock.schedule(
          () -> {
            driver.set(Thread.currentThread());
            own.open("a", "two");
          },
          Duration.ZERO);
      Threads.until(() -> !callers.isEmpty());
      assertThat(callers).doesNotContain(driver.get());
    }
  }

  /** A timer with a thread, whose clock stands still until a test moves it: a stopped process. */
  private final class Stopped implements AutoCloseable {
    final Timer clock =
        Timer.builder().ticker(ticker).tick(Duration.ofNanos(1)).start("test-clock");
    final Sessions<String, String> own;

    Stopped() {
      this(ends::add);
    }

    Stopped(Consumer<SessionEnd<String, String>> listener) {
      own = new Sessions<>(clock, TIMEOUT, listener);
    }

    /** The time passes, and the thread of the clock learns of it, as after a stop. */
    void resumeAfter(Duration time) {
      ticker.advance(time);
      CountDownLatch fired = new CountDownLatch(1);
      clock.schedule(fired::countDown, Duration.ZERO); // after all that is due
      clock.scheduleAt(() -> {}, 0); // due before all others, so it wakes the clock
      awaitUnchecked(fired);
    }

    /** The time passes with all that is due, as on a server that runs. */
    void run(Duration time) {
      for (int i = 0; i < 100; i++) {
        resumeAfter(time.dividedBy(100));
      }
    }

    @Override
    public void close() {
      own.close();
      clock.close();
    }
  }

  @Test
  void gapOfTheClock_longerThanTheTimeout_leavesTimeForTouchesThatWaitInSockets() {
    try (Stopped server = new Stopped()) {
      Session<String, String> alive = server.own.open("alive", "alive");
      Session<String, String> dead = server.own.open("dead", "dead");
      Session<String, String> lease = requireNonNull(server.own.tryOpen("lease", "lease"));
      Session<String, String> brief = server.own.open("brief", "brief", Duration.ofSeconds(1));
      assertThat(server.own.lastGap()).isNull();
      server.resumeAfter(TIMEOUT.multipliedBy(3));
      Threads.until(() -> owners().equals(List.of("lease")));
      assertThat(lease.isOpen()).isFalse();
      ClockGap gap = requireNonNull(server.own.lastGap());
      assertThat(gap.length()).isGreaterThan(TIMEOUT.multipliedBy(2));
      assertThat(ends.get(0).gap()).isSameAs(gap);
      assertThat(ends.get(0)).asString().endsWith("idle for PT30S, after " + gap + "]");
      server.run(TIMEOUT.minusMillis(1));
      assertThat(alive.touch() && dead.isOpen() && brief.isOpen()).isTrue();
      server.run(Duration.ofMillis(1));
      Threads.until(() -> ends.size() == 3);
      assertThat(dead.isOpen() || brief.isOpen()).isFalse();
      assertThat(ends).extracting(SessionEnd::gap).containsOnly(gap);
      server.run(TIMEOUT);
      Threads.until(() -> ends.size() == 4);
      assertThat(ends.get(3).gap()).as("touched after the gap").isNull();
    }
  }

  /** As after a restore from a checkpoint: the clock of the system goes on by hours. */
  @Test
  void gapOfTheClock_thatAllSurvive_isToldOnce_andBeforeTheEndsAfterIt() {
    List<Object> told = Collections.synchronizedList(new ArrayList<>());
    try (Stopped server = new Stopped(told::add)) {
      assertThat(server.own.onGap(told::add)).isSameAs(server.own);
      for (int i = 0; i < 100; i++) {
        server.own.open("key " + i, "owner", TIMEOUT.plusMillis(i));
      }
      server.resumeAfter(Duration.ofHours(8));
      Threads.until(() -> !told.isEmpty());
      assertThat(told).containsExactly(requireNonNull(server.own.lastGap()));
      assertThat(server.own.size()).as("all survive").isEqualTo(100);
      server.run(TIMEOUT.multipliedBy(2));
      Threads.until(() -> told.size() == 101);
      assertThat(told.subList(1, 101)).hasOnlyElementsOfType(SessionEnd.class);
      Session<String, String> lease = requireNonNull(server.own.tryOpen("lease", "lease"));
      server.resumeAfter(Duration.ofHours(8));
      Threads.until(() -> told.size() == 103);
      assertThat(lease.isOpen()).isFalse();
      assertThat(told.get(101)).isSameAs(server.own.lastGap());
      assertThat(told.get(102)).asString().endsWith("after " + server.own.lastGap() + "]");
    }
  }

  @Test
  void gapOfTheClock_thatEndsJustAfterTheDeadline_isNoticed() {
    try (Stopped server = new Stopped()) {
      Session<String, String> session = server.own.open("a", "owner");
      server.resumeAfter(TIMEOUT.plusNanos(1));
      assertThat(session.isOpen()).isTrue();
      assertThat(session.touch()).isTrue();
      Duration length = requireNonNull(server.own.lastGap()).length();
      assertThat(length).isBetween(TIMEOUT.dividedBy(8), TIMEOUT);
    }
  }

  @Test
  void clockOnTime_endsSessionsAtTheirDeadlines_withoutAGap() {
    try (Stopped server = new Stopped()) {
      for (int i = 0; i < 1_000; i++) {
        server.own.open("key " + i, "owner", TIMEOUT.plusMillis(i % 7));
      }
      server.run(TIMEOUT.minusMillis(1));
      assertThat(server.own.size()).isEqualTo(1_000);
      server.run(Duration.ofMillis(8));
      Threads.until(() -> ends.size() == 1_000);
      assertThat(server.own.lastGap()).isNull();
      assertThat(ends).extracting(SessionEnd::gap).containsOnlyNulls();
    }
  }

  @Test
  void grace_ofZero_isStrict_andALongestOneBoundsIt() {
    assertThatThrownBy(() -> sessions.grace(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("negative");
    try (Stopped server = new Stopped()) {
      assertThat(server.own.grace(Duration.ZERO)).isSameAs(server.own);
      server.own.open("a", "strict");
      server.resumeAfter(TIMEOUT.multipliedBy(3));
      Threads.until(() -> owners().equals(List.of("strict")));
      Session<String, String> brief = server.own.grace(Duration.ofSeconds(1)).open("b", "short");
      server.resumeAfter(TIMEOUT.multipliedBy(3));
      server.run(Duration.ofMillis(999));
      assertThat(brief.isOpen()).isTrue();
      server.run(Duration.ofMillis(1));
      Threads.until(() -> owners().equals(List.of("strict", "short")));
    }
  }

  @Test
  void clockThatTheCallerDrives_hasNoGaps() {
    sessions.open("a", "owner");
    pass(TIMEOUT.multipliedBy(60));
    assertThat(owners()).containsExactly("owner");
    assertThat(sessions.lastGap()).isNull();
    assertThat(ends.get(0).gap()).isNull();
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      Threads.await(latch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void listenerThatEndsTheNext_doesNotDeepenTheStack() {
    List<Sessions<Integer, String>> all = new ArrayList<>(1);
    AtomicInteger told = new AtomicInteger();
    Consumer<SessionEnd<Integer, String>> closeNext =
        end -> {
          told.incrementAndGet();
          Session<Integer, String> next = all.get(0).get(end.key() + 1);
          if (next != null) {
            next.close();
          }
        };
    all.add(new Sessions<>(timer, TIMEOUT, closeNext, Runnable::run));
    for (int i = 0; i < 100_000; i++) {
      all.get(0).open(i, "owner");
    }
    requireNonNull(all.get(0).get(0)).close();
    assertThat(told).hasValue(100_000);
    assertThat(all.get(0).size()).isZero();
  }

  @Test
  void afterABurst_theTimerIsSmall() {
    for (int i = 0; i < 100_000; i++) {
      sessions.open("key " + i, "owner").close();
    }
    assertThat(TimerInternals.of(timer).wheels().retained()).isLessThan(4_000);
    for (int i = 0; i < 100_000; i++) {
      sessions.open("same key", "owner");
    }
    assertThat(TimerInternals.of(timer).wheels().retained()).isLessThan(4_000);
    assertThat(timer.size()).isEqualTo(1);
  }

  @Test
  void endedSession_keepsNothingReachable() {
    for (Reason reason : Reason.values()) {
      List<WeakReference<Object>> references = new ArrayList<>();
      Sessions<Object, Object> registry = new Sessions<>(timer, TIMEOUT, end -> {}, Runnable::run);
      Session<Object, Object> handle = endOne(registry, reason, references);
      registry.close();
      references.add(new WeakReference<>(registry));
      registry = null;
      Threads.until(
          () -> {
            System.gc();
            return references.stream().allMatch(each -> each.get() == null);
          });
      assertThat(handle.isOpen()).as(reason.name()).isFalse();
      assertThat(handle.key()).isNull();
      assertThat(handle.owner()).isNull();
    }
    assertThat(TimerInternals.of(timer).wheels().retained())
        .isPositive(); // the ended entries were not swept
  }

  private Session<Object, Object> endOne(
      Sessions<Object, Object> registry, Reason reason, List<WeakReference<Object>> references) {
    Object key = new Object();
    Object owner = new Object();
    references.add(new WeakReference<>(key));
    references.add(new WeakReference<>(owner));
    Session<Object, Object> session = registry.open(key, owner);
    switch (reason) {
      case EXPIRED -> pass(TIMEOUT);
      case CLOSED -> session.close();
      case TAKEN_OVER -> registry.open(key, new Object());
    }
    return session;
  }

  @Test
  void toString_tellsWhetherItIsOpen() {
    Session<String, String> session = sessions.open("a", "owner");
    assertThat(session).hasToString("open session of a, touched at 0");
    assertThat(sessions).hasToString("sessions, open 1");
    session.close();
    assertThat(session).hasToString("ended session, touched at 0");
  }

  /** A true touch keeps the session open for its timeout, and a false one follows its end. */
  @Test
  void touchAgainstExpiry_isExact() throws InterruptedException {
    long timeout = Duration.ofMillis(2).toNanos();
    int count = 500;
    Threads.repeat(
        20,
        round -> {
          ends.clear();
          List<Session<String, String>> opened = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            opened.add(sessions.open("key " + i, "" + i, Duration.ofNanos(timeout)));
          }
          long[][] lastTrue = new long[2][count];
          AtomicBoolean done = new AtomicBoolean();
          Threads.race(
              () -> touchAll(opened, lastTrue[0], done),
              () -> touchAll(opened, lastTrue[1], done),
              () -> {
                for (int i = 0; i < 2_000 && ends.size() < count; i++) {
                  pass(Duration.ofNanos(500_000));
                }
                done.set(true);
              });
          pass(Duration.ofNanos(2 * timeout));
          assertThat(ends).hasSize(count);
          for (SessionEnd<String, String> end : ends) {
            int i = Integer.parseInt(end.owner());
            long last = Math.max(lastTrue[0][i], lastTrue[1][i]);
            assertThat(end.reason()).isEqualTo(Reason.EXPIRED);
            assertThat(end.lastTouched()).isGreaterThanOrEqualTo(last);
            assertThat(end.endedAt() - end.lastTouched()).isGreaterThanOrEqualTo(timeout);
          }
          assertThat(ends.stream().map(SessionEnd::key).distinct()).hasSize(count);
          assertThat(timer.size()).isZero();
        });
  }

  private void touchAll(List<Session<String, String>> opened, long[] lastTrue, AtomicBoolean done) {
    while (!done.get()) {
      for (int i = 0; i < opened.size(); i++) {
        long before = timer.now();
        if (opened.get(i).touch()) {
          lastTrue[i] = before;
        } else {
          assertThat(opened.get(i).isOpen()).isFalse();
        }
      }
    }
  }

  /**
   * While the clock expires the sessions in order, runs the action for every second one at its
   * turn.
   */
  private void atExpiry(
      Consumer<List<Session<String, String>>> beforehand, Consumer<Session<String, String>> action)
      throws InterruptedException {
    int count = 10_000;
    List<Session<String, String>> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      opened.add(sessions.open("key " + i, "" + i));
    }
    ticker.advance(TIMEOUT);
    beforehand.accept(opened);
    AtomicBoolean visited = new AtomicBoolean();
    Threads.race(
        () -> {
          timer.advance();
          visited.set(true);
        },
        () -> {
          for (int i = 1; i < count; i += 2) {
            while (opened.get(i - 1).isOpen() && !visited.get()) {
              Thread.onSpinWait();
            }
            spin(i % 64);
            action.accept(opened.get(i));
          }
        });
  }

  private static void spin(int times) {
    for (int i = 0; i < times; i++) {
      Thread.onSpinWait();
    }
  }

  @Test
  void touchAgainstExpiry_oneOfThemWins() throws InterruptedException {
    Threads.repeat(
        20,
        round -> {
          ends.clear();
          List<String> touched = new ArrayList<>();
          atExpiry(
              opened -> {},
              session -> {
                String owner = session.owner();
                if (session.touch()) {
                  touched.add(String.valueOf(owner));
                }
              });
          assertThat(Collections.disjoint(new HashSet<>(owners()), touched)).isTrue();
          assertThat(ends.size() + touched.size()).isEqualTo(10_000);
          assertThat(sessions.size()).isEqualTo(touched.size());
          assertThat(timer.size()).isEqualTo(touched.size());
          pass(TIMEOUT);
        });
  }

  @Test
  void closeAgainstSchedulingAgain_leavesNothingInTheTimer() throws InterruptedException {
    Threads.repeat(
        20,
        round -> {
          atExpiry(
              opened -> {
                for (int i = 1; i < opened.size(); i += 2) {
                  assertThat(opened.get(i).touch()).isTrue();
                }
              },
              session -> assertThat(session.close()).isTrue());
          assertThat(sessions.size()).isZero();
          assertThat(timer.size()).isZero();
        });
  }

  /** Many owners take the same keys over, while sessions are touched, closed and expire. */
  @Test
  void takeOverAgainstAll_oneOwnerAtATime_eachToldOnceInOrder() throws InterruptedException {
    List<String> keys = List.of("a", "b", "c");
    Executor spawning = task -> Threads.start(task::run);
    Threads.repeat(
        20,
        round -> {
          List<SessionEnd<String, String>> told = Collections.synchronizedList(new ArrayList<>());
          AtomicInteger listeners = new AtomicInteger();
          AtomicBoolean overlapped = new AtomicBoolean();
          Sessions<String, String> contended =
              new Sessions<>(
                  timer,
                  Duration.ofMillis(2),
                  end -> {
                    overlapped.compareAndSet(false, listeners.incrementAndGet() > 1);
                    told.add(end);
                    listeners.decrementAndGet();
                  },
                  spawning);
          int count = 1_000;
          AtomicInteger takers = new AtomicInteger(2);
          Threads.race(
              () -> takeOver(contended, keys, "0", count, takers),
              () -> takeOver(contended, keys, "1", count, takers),
              () -> watch(contended, keys, takers),
              () -> {
                while (takers.get() > 0) {
                  pass(Duration.ofNanos(300_000));
                }
              });
          int open = contended.size();
          contended.close();
          Threads.until(() -> told.size() == 2 * count);
          assertThat(open).isLessThanOrEqualTo(keys.size());
          assertThat(overlapped).isFalse();
          assertThat(timer.size()).isZero();
          for (String key : keys) {
            for (String taker : List.of("0", "1")) {
              assertThat(numbersOf(told, key, taker)).isSorted().doesNotHaveDuplicates();
            }
          }
        });
  }

  @Test
  void openAgainstClose_leavesNothingOpen() throws InterruptedException {
    Threads.repeat(
        300,
        round -> {
          AtomicInteger opened = new AtomicInteger();
          AtomicInteger told = new AtomicInteger();
          Sessions<String, String> closing =
              withExecutor(end -> told.incrementAndGet(), Runnable::run);
          Threads.race(
              () -> opened.set(openUntilClosed(closing)),
              () -> {
                Threads.until(() -> closing.size() > 20);
                closing.close();
              });
          Threads.until(() -> told.get() == opened.get());
          assertThat(closing.size()).isZero();
          assertThat(timer.size()).isZero();
        });
  }

  private static int openUntilClosed(Sessions<String, String> closing) {
    for (int i = 0; ; i++) {
      try {
        closing.open("key " + i, "owner");
      } catch (IllegalStateException e) {
        return i;
      }
    }
  }

  private static List<Integer> numbersOf(
      List<SessionEnd<String, String>> told, String key, String taker) {
    return told.stream()
        .filter(end -> end.key().equals(key) && end.owner().startsWith(taker + " "))
        .map(end -> Integer.parseInt(end.owner().substring(2)))
        .toList();
  }

  private static void takeOver(
      Sessions<String, String> contended,
      List<String> keys,
      String name,
      int count,
      AtomicInteger takers) {
    try {
      for (int i = 0; i < count; i++) {
        Session<String, String> session = contended.open(keys.get(i % 3), name + " " + i);
        if (i % 4 == 0) {
          session.close();
        } else if (i % 4 == 1) {
          session.touch();
        }
      }
    } finally {
      takers.decrementAndGet();
    }
  }

  /** When the next session can be found, the former one has ended. */
  private static void watch(
      Sessions<String, String> contended, List<String> keys, AtomicInteger takers) {
    while (takers.get() > 0) {
      for (String key : keys) {
        Session<String, String> former = contended.get(key);
        Session<String, String> next = contended.get(key);
        if (former != null && former != next) {
          assertThat(former.isOpen()).isFalse();
        }
      }
    }
  }
}
