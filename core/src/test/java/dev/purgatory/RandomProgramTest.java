package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random programs, of which a seed fixes everything: the settings, the steps, and what callbacks
 * set off. After each step the purgatory is compared with a model that knows no timing wheel and no
 * watch list, only sets.
 */
class RandomProgramTest {
  private static final int PROGRAMS = 5_000;
  private static final int THREADED_PROGRAMS = 400;
  private static final int KEYS = 6;

  private static final List<Long> TICKS =
      List.of(1L, 1_000L, 1_000_000L, 7_000_001L, 1_000_000_000L);
  private static final List<Integer> WHEEL_SIZES = List.of(2, 3, 20, 64, 512);
  private static final List<Integer> PURGE_INTERVALS = List.of(0, 1, 1_000, 1_000, 1_000);
  private static final List<Long> ORIGINS =
      List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 1_000_000_000);

  @Test
  void programs_ofOneThread_agreeWithTheModel() {
    for (int seed = 0; seed < PROGRAMS; seed++) {
      try {
        new Program(seed).run();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void programs_ofThreeThreads_addUp() throws InterruptedException {
    for (int seed = 0; seed < THREADED_PROGRAMS; seed++) {
      try {
        new ThreadedProgram(seed).run();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static <T> T pick(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private enum State {
    NEW,
    HELD,
    COMPLETED,
    EXPIRED,
    CANCELLED
  }

  /** An operation, and beside it what the model says about it. */
  private static final class Op extends RecordingOperation {
    final long timeout;
    final List<Integer> keys;
    final int checksWhenAnswered;
    final @Nullable Op addsWhenAnswered;
    boolean condition;
    State state = State.NEW;
    boolean handedIn;
    boolean expiring; // its time is up, and the executor has yet to get there
    long deadline;
    int answers;
    final List<String> news = new ArrayList<>();

    Op(long timeout, List<Integer> keys, int checksWhenAnswered, @Nullable Op addsWhenAnswered) {
      super(Duration.ofNanos(timeout));
      this.timeout = timeout;
      this.keys = keys;
      this.checksWhenAnswered = checksWhenAnswered;
      this.addsWhenAnswered = addsWhenAnswered;
    }

    void setCondition(boolean value) {
      condition = value;
      condition(value);
    }

    void assertAgrees() {
      assertThat(isCompleted()).isEqualTo(state == State.COMPLETED || state == State.EXPIRED);
      assertThat(isExpired()).isEqualTo(state == State.EXPIRED);
      assertThat(isCancelled()).isEqualTo(state == State.CANCELLED);
      assertThat(completions()).isEqualTo(answers);
      assertThat(expirations()).isEqualTo(state == State.EXPIRED ? answers : 0);
      assertThat(violations()).isEmpty();
    }
  }

  private static final class Program implements PurgatoryListener<Op> {
    private final Random random;
    private final long tick;
    private final int wheelSize;
    private final ManualTicker ticker;
    private final Timer timer;
    private final Purgatory<Integer, Op> purgatory;
    private final QueueingExecutor executor = new QueueingExecutor();
    private final boolean queuedCompletions;
    private final boolean queuedExpirations;
    private final List<Throwable> errors = new ArrayList<>();

    // The model.
    private final List<Op> operations = new ArrayList<>();
    private final Map<Integer, Set<Op>> waiting = new HashMap<>();
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private boolean withinCallback;
    private boolean closed;
    private long now;
    private long reading;

    Program(long seed) {
      random = new Random(seed);
      tick = pick(random, TICKS);
      wheelSize = pick(random, WHEEL_SIZES);
      queuedCompletions = random.nextBoolean();
      queuedExpirations = random.nextBoolean();
      ticker = new ManualTicker(pick(random, ORIGINS));
      timer =
          Timer.builder()
              .ticker(ticker)
              .tick(Duration.ofNanos(tick))
              .wheelSize(wheelSize)
              .errorHandler(errors::add)
              .build();
      Purgatory.Builder<Integer, Op> builder = Purgatory.builder("program-" + seed);
      builder.timer(timer).listener(this).purgeInterval(pick(random, PURGE_INTERVALS));
      builder.completionExecutor(queuedCompletions ? executor : Runnable::run);
      builder.expirationExecutor(queuedExpirations ? executor : Runnable::run);
      purgatory = builder.build();
    }

    void run() {
      for (int steps = 10 + random.nextInt(40); steps > 0; steps--) {
        step();
        assertAgrees();
      }
      close();
      assertAgrees();
      runQueue();
      assertAgrees();
      assertThat(purgatory.watched()).isZero();
      assertThat(purgatory.keys()).isZero();
      assertThat(operations).noneMatch(operation -> operation.state == State.HELD);
    }

    private void step() {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3 -> add(newOperation(2));
        case 4 -> operations.add(newOperation(0)); // and hand it in later, or never
        case 5 -> some().setCondition(random.nextInt(4) != 0);
        case 6, 7 -> check(random.nextInt(KEYS));
        case 8 -> force(some());
        case 9 -> cancel(some());
        case 10 -> cancelForKey(random.nextInt(KEYS));
        case 11 -> advance();
        case 12 -> runQueue();
        default -> addAgainOrPurge();
      }
    }

    private Op some() {
      if (operations.isEmpty()) {
        operations.add(newOperation(0));
      }
      return pick(random, operations);
    }

    private Op newOperation(int depth) {
      List<Integer> keys = new ArrayList<>();
      for (int i = random.nextInt(8); i >= 0; i--) {
        keys.add(random.nextInt(KEYS));
      }
      int checks = random.nextInt(3) == 0 ? random.nextInt(KEYS) : -1;
      Op adds = depth > 0 && random.nextInt(4) == 0 ? newOperation(depth - 1) : null;
      Op operation = new Op(timeout(), List.copyOf(keys), checks, adds);
      operation.setCondition(random.nextInt(5) == 0);
      operation.onAnswer(() -> setOff(operation));
      return operation;
    }

    private long timeout() {
      return random.nextInt(12) == 0 ? -random.nextInt(3) : span();
    }

    /** Around the edges of ticks and levels, or anything. */
    private long span() {
      long edge = tick;
      for (int i = random.nextInt(4); i > 0 && edge < Long.MAX_VALUE / 1_000_000; i--) {
        edge *= wheelSize;
      }
      return switch (random.nextInt(8)) {
        case 0 -> 1;
        case 1 -> edge - 1;
        case 2 -> edge;
        case 3 -> edge + 1;
        case 4 -> random.nextInt(3) == 0 ? Long.MAX_VALUE : edge * 2;
        default -> 1 + (long) (random.nextDouble() * edge);
      };
    }

    // What callbacks set off, and beside it the model of that.

    private void setOff(Op operation) {
      if (operation.checksWhenAnswered >= 0) {
        assertThat(purgatory.checkAndComplete(operation.checksWhenAnswered)).isZero();
      }
      if (operation.addsWhenAnswered != null && !closed) {
        purgatory.tryCompleteElseWatch(operation.addsWhenAnswered, operation.addsWhenAnswered.keys);
      }
    }

    private void modelSetOff(Op operation) {
      operation.answers++;
      if (operation.checksWhenAnswered >= 0) {
        deferred.add(() -> modelCheck(operation.checksWhenAnswered));
      }
      if (operation.addsWhenAnswered != null && !closed) {
        operations.add(operation.addsWhenAnswered);
        modelAdd(operation.addsWhenAnswered);
      }
    }

    private void modelAnswer(Op operation) {
      if (withinCallback) {
        deferred.add(() -> modelSetOff(operation));
        return;
      }
      withinCallback = true;
      modelSetOff(operation);
      while (!deferred.isEmpty()) {
        deferred.remove().run();
      }
      withinCallback = false;
    }

    private void modelEnd(Op operation, State end) {
      modelClaim(operation, end);
      modelSettle(operation);
    }

    private void modelClaim(Op operation, State end) {
      operation.state = end;
      waiting.values().forEach(operations -> operations.remove(operation));
    }

    private void modelSettle(Op operation) {
      if (operation.state == State.CANCELLED) {
        return;
      }
      boolean queued = operation.state == State.COMPLETED ? queuedCompletions : queuedExpirations;
      if (queued && operation.handedIn) {
        queue.add(() -> modelAnswer(operation));
      } else {
        modelAnswer(operation);
      }
    }

    private void modelExpireSoon(Op operation) {
      operation.expiring = true;
      queue.add(() -> modelExpireHere(operation));
    }

    /** The order of what expires together is open: so it is as it really was. */
    private void modelExpireHere(Op operation) {
      if (operation.state != State.HELD) {
        return;
      }
      if (operation.isExpired()) {
        modelClaim(operation, State.EXPIRED);
        modelAnswer(operation);
      } else {
        assertThat(operation.isCompleted() && operation.condition).as("has a reason").isTrue();
        modelEnd(operation, State.COMPLETED);
      }
    }

    private boolean modelAdd(Op operation) {
      operation.handedIn = true;
      if (operation.state != State.NEW) {
        return false;
      }
      if (operation.condition) {
        modelEnd(operation, State.COMPLETED);
        return true;
      }
      operation.deadline = saturatedSum(now, Math.max(0, operation.timeout));
      operation.state = State.HELD;
      if (operation.timeout <= 0) {
        if (!queuedExpirations) {
          modelEnd(operation, State.EXPIRED);
          return false;
        }
        modelExpireSoon(operation);
      }
      for (int key : operation.keys) {
        waiting.computeIfAbsent(key, k -> new LinkedHashSet<>()).add(operation);
      }
      return false;
    }

    private void modelCheck(int key) {
      for (Op operation : List.copyOf(waiting.getOrDefault(key, Set.of()))) {
        if (operation.state == State.HELD && operation.condition && !operation.isExpired()) {
          modelEnd(operation, State.COMPLETED);
        }
      }
    }

    // The steps, each done to both.

    private void add(Op operation) {
      operations.add(operation);
      boolean completed = purgatory.tryCompleteElseWatch(operation, operation.keys);
      assertThat(completed).isEqualTo(modelAdd(operation));
    }

    private void addAgainOrPurge() {
      Op operation = some();
      if (operation.handedIn) {
        assertThatThrownBy(() -> purgatory.tryCompleteElseWatch(operation, operation.keys))
            .isInstanceOf(IllegalStateException.class);
        purgatory.purge();
        long watched = held().mapToLong(each -> each.keys.size()).sum();
        Threads.until(() -> purgatory.watched() == watched); // a purge may be going on elsewhere
      } else {
        boolean completed = purgatory.tryCompleteElseWatch(operation, operation.keys);
        assertThat(completed).isEqualTo(modelAdd(operation));
      }
    }

    private void check(int key) {
      List<Op> answerable =
          waiting.getOrDefault(key, Set.of()).stream().filter(each -> each.condition).toList();
      int completed = purgatory.checkAndComplete(key);
      // What an answer sets off may be there before the walk, and then does not count.
      boolean overtaken = answerable.stream().anyMatch(each -> each.checksWhenAnswered >= 0);
      assertThat(completed).isBetween(overtaken ? 1 : answerable.size(), answerable.size());
      modelCheck(key);
    }

    private void force(Op operation) {
      boolean ends = operation.state == State.NEW || operation.state == State.HELD;
      assertThat(operation.forceComplete()).isEqualTo(ends);
      if (ends) {
        modelEnd(operation, State.COMPLETED);
      }
    }

    private void cancel(Op operation) {
      boolean ends = operation.state == State.NEW || operation.state == State.HELD;
      assertThat(operation.cancel()).isEqualTo(ends);
      if (ends) {
        modelEnd(operation, State.CANCELLED);
      }
    }

    private void cancelForKey(int key) {
      List<Op> expected = List.copyOf(waiting.getOrDefault(key, Set.of()));
      assertThat(purgatory.cancelForKey(key)).containsExactlyInAnyOrderElementsOf(expected);
      expected.forEach(operation -> modelEnd(operation, State.CANCELLED));
    }

    private void runQueue() {
      executor.runAll();
      while (!queue.isEmpty()) {
        queue.remove().run();
      }
    }

    private void advance() {
      long by =
          switch (random.nextInt(20)) {
            case 0 -> Duration.ofDays(365).toNanos();
            case 1 -> -Math.min(span(), Duration.ofHours(1).toNanos());
            default -> Math.min(span() - 1, Duration.ofDays(730).toNanos());
          };
      reading += by;
      now = Math.max(now, reading);
      ticker.advance(by);
      timer.advance();
      List<Op> due = held().filter(each -> !each.expiring && isDue(each.deadline)).toList();
      if (queuedExpirations) {
        due.forEach(this::modelExpireSoon);
      } else {
        endLike(due);
      }
    }

    private void close() {
      closed = true;
      purgatory.close();
      purgatory.close();
      endLike(held().toList());
    }

    /**
     * Ends operations whose time is up together. Their order is open, and what the answer to one
     * sets off may complete another of them, if that can be answered: so it is as it really was.
     */
    private void endLike(List<Op> due) {
      for (Op operation : due) {
        assertThat(operation.isCompleted()).as("%s is due", operation.deadline).isTrue();
        assertThat(operation.isExpired() || operation.condition).as("has a reason").isTrue();
        modelClaim(operation, operation.isExpired() ? State.EXPIRED : State.COMPLETED);
      }
      due.forEach(this::modelSettle);
    }

    private boolean isDue(long deadline) {
      long past = deadline % tick;
      long wait = past == 0 ? 0 : tick - past;
      return deadline <= Long.MAX_VALUE - wait && deadline + wait <= now;
    }

    private static long saturatedSum(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }

    private Stream<Op> held() {
      return operations.stream().filter(operation -> operation.state == State.HELD);
    }

    private void assertAgrees() {
      assertThat(errors).isEmpty();
      assertThat(executor.size()).isEqualTo(queue.size());
      operations.forEach(Op::assertAgrees);
      long held = held().count();
      assertThat(purgatory.pending()).isEqualTo(held);
      assertThat(timer.size()).isEqualTo((int) held().filter(each -> !each.expiring).count());
      assertThat(purgatory.watched())
          .isGreaterThanOrEqualTo(held().mapToLong(o -> o.keys.size()).sum());
    }

    @Override
    public void onHeld(Op operation) {
      tell(operation, "held", 0, List.of());
    }

    @Override
    public void onCompleted(Op operation, long heldNanos) {
      tell(operation, "completed", heldNanos, List.of("held"));
    }

    @Override
    public void onExpired(Op operation, long heldNanos, long lateNanos) {
      tell(operation, "expired", heldNanos, List.of("held"));
      if (!closed && (lateNanos < 0 || heldNanos - lateNanos > Math.max(0, operation.timeout))) {
        errors.add(new AssertionError("held " + heldNanos + ", late " + lateNanos));
      }
    }

    @Override
    public void onCancelled(Op operation, long heldNanos) {
      tell(operation, "cancelled", heldNanos, List.of("held"));
    }

    private void tell(Op operation, String news, long heldNanos, List<String> before) {
      if (!operation.news.equals(before) || heldNanos < 0) {
        errors.add(new AssertionError(news + " after " + operation.news + ", " + heldNanos));
      }
      operation.news.add(news);
    }

    @Override
    public void onError(Op operation, Throwable error) {
      errors.add(error);
    }
  }

  /** Three threads that do random things to the same operations, whose numbers must add up. */
  private static final class ThreadedProgram {
    private static final int OPERATIONS = 12;

    private final long seed;
    private final ManualTicker ticker = new ManualTicker();
    private final Timer timer = Timer.builder().ticker(ticker).wheelSize(4).build();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final Purgatory<Integer, RecordingOperation> purgatory;
    private final List<RecordingOperation> operations = new ArrayList<>();
    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();

    ThreadedProgram(long seed) {
      this.seed = seed;
      Random random = new Random(seed);
      PurgatoryListener<RecordingOperation> listener =
          new PurgatoryListener<>() {
            @Override
            public void onError(RecordingOperation operation, Throwable error) {
              errors.add(error);
            }
          };
      purgatory =
          Purgatory.<Integer, RecordingOperation>builder("threaded-" + seed)
              .timer(timer)
              .expirationExecutor(Runnable::run)
              .listener(listener)
              .purgeInterval(pick(random, PURGE_INTERVALS))
              .build();
      for (int i = 0; i < OPERATIONS; i++) {
        operations.add(new RecordingOperation(1 + random.nextInt(30)));
      }
    }

    void run() throws InterruptedException {
      Threads.race(() -> work(1), () -> work(2), () -> work(3));

      operations.forEach(operation -> operation.condition(true));
      for (int key = 0; key < KEYS; key++) {
        completed.addAndGet(purgatory.checkAndComplete(key));
      }
      assertThat(purgatory.pending()).as("pending although answerable and checked").isZero();
      assertThat(timer.size()).isZero();
      purgatory.purge();
      Threads.until(() -> purgatory.watched() == 0 && purgatory.keys() == 0);
      int expired = count(DelayedOperation::isExpired);
      assertThat(count(DelayedOperation::isCancelled)).isEqualTo(cancelled.get());
      assertThat(count(DelayedOperation::isCompleted)).isEqualTo(completed.get() + expired);
      for (RecordingOperation operation : operations) {
        assertThat(operation.violations()).isEmpty();
        assertThat(operation.completions()).isEqualTo(operation.isCompleted() ? 1 : 0);
        assertThat(operation.expirations()).isEqualTo(operation.isExpired() ? 1 : 0);
      }
      purgatory.close();
      assertThat(errors).isEmpty();
    }

    private int count(Predicate<DelayedOperation> what) {
      return (int) operations.stream().filter(what).count();
    }

    private void work(int thread) {
      Random random = new Random(31 * seed + thread);
      for (int i = 0; i < 40; i++) {
        RecordingOperation operation = pick(random, operations);
        int key = random.nextInt(KEYS);
        switch (random.nextInt(16)) {
          case 0, 1, 2, 3, 4, 5 -> add(operation, List.of(key, random.nextInt(KEYS), 0));
          case 6, 7 -> operation.condition(true);
          case 8, 9, 10 -> completed.addAndGet(purgatory.checkAndComplete(key));
          case 11 -> completed.addAndGet(operation.forceComplete() ? 1 : 0);
          case 12 -> cancelled.addAndGet(operation.cancel() ? 1 : 0);
          case 13 -> cancelled.addAndGet(purgatory.cancelForKey(key).size());
          case 14 -> purgatory.purge();
          default -> {
            ticker.advance(Duration.ofMillis(random.nextInt(5)));
            timer.advance();
          }
        }
      }
    }

    private void add(RecordingOperation operation, List<Integer> keys) {
      try {
        completed.addAndGet(purgatory.tryCompleteElseWatch(operation, keys) ? 1 : 0);
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("handed to a purgatory before");
      }
    }
  }
}
