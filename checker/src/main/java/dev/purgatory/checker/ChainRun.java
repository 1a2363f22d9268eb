package dev.purgatory.checker;

import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.Limit;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.SignalQueue;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.BulkStep.Chain;
import dev.purgatory.checker.BulkStep.Link;
import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** A chain of requests, each of which ends the next one from a callback. */
final class ChainRun {
  private static final Duration LONG_TIMEOUT = Duration.ofNanos(Crowd.LONG_TIMEOUT_NANOS);

  /** Each of them takes a tick. */
  private static final int THROTTLED = 100;

  private final Throwable cause = new IllegalStateException("provoked");
  private final Chain chain;
  private final Violations violations;
  private final Replies<Integer, Integer> replies;
  private final Throttles<Integer> throttles;
  private final Sessions<Integer, Integer> sessions;
  private final List<Element> elements = new ArrayList<>();

  /** Remove what is left: numbers that have been advanced, and quota that has been used. */
  private final List<Runnable> remains = new ArrayList<>();

  /** A request: what ends it, and whether it was answered once. */
  private record Element(Runnable trigger, BooleanSupplier isSettled) {}

  /** Holds the requests. */
  ChainRun(Chain chain, List<Crowd> crowds, Timer timer, Violations violations) {
    this.chain = chain;
    this.violations = violations;
    replies = Replies.builder("chain", Integer.class, Integer.class).timer(timer).build();
    throttles =
        new Throttles<>(
            crowds.get(0).purgatory, timer, Rate.per(1, Duration.ofDays(36_500)), Runnable::run);
    sessions = new Sessions<>(timer, LONG_TIMEOUT, end -> endNext(end.key()), Runnable::run);
    int length =
        chain.link() == Link.THROTTLE ? Math.min(THROTTLED, chain.length()) : chain.length();
    for (int i = 0; i < length; i++) {
      Crowd crowd = crowds.get(i % crowds.size());
      elements.add(element(crowd, crowd.aNewKey(), i + 1));
    }
  }

  private Element element(Crowd crowd, int key, int next) {
    return switch (chain.link()) {
      case SIGNAL, SIGNAL_WITH_REASON, SIGNAL_AT_MOST, RUN_QUEUE, MARK, COMPLETE, CANCEL, ADD ->
          operation(crowd, key, next);
      case SIGNAL_IN_CONDITION, ADVANCE_IN_CONDITION -> condition(crowd, key, next);
      case COMPLETE_ALL, FAIL_ALL, CANCEL_ALL -> onlyOne(next);
      case THROTTLE -> throttled(next);
      case SESSION -> session(next);
      default -> future(crowd.purgatory, key, next);
    };
  }

  private Element operation(Crowd crowd, int key, int next) {
    Purgatory<Integer> purgatory = crowd.purgatory;
    BulkOperation operation =
        new BulkOperation.Delayed(List.of(key), 0, Crowd.LONG_TIMEOUT_NANOS, () -> endNext(next));
    if (chain.link() != Link.ADD) {
      operation.hold(purgatory);
    }
    SignalQueue<Integer> queue =
        chain.link() == Link.MARK
            ? new SignalQueue<>(purgatory, Runnable::run)
            : new SignalQueue<>(purgatory);
    return new Element(
        () -> {
          operation.ready = true;
          switch (chain.link()) {
            case SIGNAL -> purgatory.signal(key);
            case SIGNAL_WITH_REASON -> purgatory.signal(key, "reason");
            case SIGNAL_AT_MOST -> purgatory.signalAtMost(key, 1);
            case MARK -> queue.mark(key);
            case RUN_QUEUE -> {
              queue.mark(key);
              queue.run();
            }
            case COMPLETE -> operation.complete();
            case CANCEL -> operation.cancel();
            default -> operation.hold(purgatory);
          }
        },
        operation::isSettled);
  }

  /** A request whose condition ends the next one. */
  private Element condition(Crowd crowd, int key, int next) {
    boolean[] ready = new boolean[1]; // one thread after another
    Hold.Untimed<Integer, Integer> hold =
        crowd.purgatory.until(
            () -> {
              if (!ready[0]) {
                return null;
              }
              ready[0] = false;
              endNext(next);
              return key;
            });
    if (chain.link() == Link.SIGNAL_IN_CONDITION) {
      return answered(
          hold.forever().hold(key),
          () -> {
            ready[0] = true;
            crowd.purgatory.signal(key);
          });
    }
    remains.add(() -> crowd.thresholds.remove(key));
    return answered(
        hold.reaching(crowd.thresholds, key, 1).forever().hold(),
        () -> {
          ready[0] = true;
          crowd.thresholds.advance(key, 1);
        });
  }

  /** A request that is held when it is its turn: so a call that ends all requests ends only it. */
  private Element onlyOne(int next) {
    AtomicInteger answers = new AtomicInteger();
    return new Element(
        () -> {
          var unused =
              replies
                  .expect(next, LONG_TIMEOUT)
                  .whenComplete(
                      (value, error) -> {
                        answers.incrementAndGet();
                        endNext(next);
                      });
          switch (chain.link()) {
            case COMPLETE_ALL -> replies.completeAll(next);
            case FAIL_ALL -> replies.failAll(cause);
            default -> replies.purgatory().cancelAll();
          }
        },
        () -> answers.get() == 1);
  }

  /** A session, whose listener ends the next one. */
  private Element session(int next) {
    Session<Integer, Integer> session = sessions.open(next, next);
    return new Element(session::close, () -> !session.isOpen());
  }

  /** A request whose dependent ends the next one. */
  private Element future(Purgatory<Integer> purgatory, int key, int next) {
    Hold.Untimed<Integer, Integer> hold = purgatory.untilCompleted();
    CompletableFuture<Integer> stage = new CompletableFuture<>();
    Scope scope =
        chain.link() == Link.EVICT
            ? Scope.of("chain", Limit.builder("chain").requests(1).evictOldest().build())
            : Scope.of("chain");
    HeldFuture<Integer> future =
        switch (chain.link()) {
          case REPLY, FAIL_REPLY -> replies.expect(next, LONG_TIMEOUT);
          case TIMED_STAGE -> purgatory.timeout(stage, LONG_TIMEOUT);
          case EVALUATION -> purgatory.untilAsync(() -> stage).forever().hold(key);
          case CLOSE_SCOPE, FAIL_SCOPE, EVICT -> hold.inScope(scope).forever().hold(key);
          default -> hold.forever().hold(key);
        };
    Runnable trigger =
        switch (chain.link()) {
          case REPLY -> () -> replies.complete(next, key);
          case FAIL_REPLY -> () -> replies.fail(next, cause);
          case TIMED_STAGE, EVALUATION -> () -> stage.complete(key);
          case CLOSE_SCOPE -> scope::close;
          case FAIL_SCOPE -> () -> scope.fail(cause);
          case EVICT -> () -> hold.inScope(scope).forever().hold(key).cancel(false);
          case COMPLETE_FOR_KEY -> () -> WatchListsView.completeForKey(purgatory, key, key);
          case FAIL_FOR_KEY -> () -> purgatory.failForKey(key, cause);
          case CANCEL_FOR_KEY -> () -> purgatory.cancelForKey(key);
          case FAIL_FUTURE -> () -> future.completeExceptionally(cause);
          case CANCEL_FUTURE -> () -> future.cancel(false);
          default -> () -> future.complete(key);
        };
    return ending(next, future, trigger);
  }

  /** A request that waits for quota, which a callback gives back. */
  private Element throttled(int next) {
    throttles.tryAcquire(next, 1);
    remains.add(() -> throttles.giveBack(next, 1));
    return ending(next, throttles.acquire(next, 1), () -> throttles.giveBack(next, 1));
  }

  private Element ending(int next, HeldFuture<?> future, Runnable trigger) {
    Element element = answered(future, trigger);
    var unused = future.whenComplete((value, error) -> endNext(next));
    return element;
  }

  private static Element answered(HeldFuture<?> future, Runnable trigger) {
    AtomicInteger answers = new AtomicInteger();
    var unused = future.whenComplete((value, error) -> answers.incrementAndGet());
    return new Element(trigger, () -> future.outcome() != null && answers.get() == 1);
  }

  /** Ends the first request. The last one may be answered later, on another thread. */
  void run() {
    elements.get(0).trigger.run();
  }

  private void endNext(int next) {
    Callback.begin(violations, "request " + next);
    if (next < elements.size()) {
      elements.get(next).trigger.run();
    }
    Callback.leaveInterrupt();
  }

  /** Removes what is left once all requests are answered. */
  void end() {
    remains.forEach(Runnable::run);
  }

  /** Returns whether all requests are answered. */
  boolean isSettled() {
    return elements.stream().allMatch(each -> each.isSettled.getAsBoolean());
  }
}
