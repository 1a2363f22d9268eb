package dev.purgatory.checker;

import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.BulkStep.Chain;
import dev.purgatory.checker.BulkStep.Link;
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

  private final Chain chain;
  private final Violations violations;
  private final Replies<Integer, Integer> replies;
  private final List<Element> elements = new ArrayList<>();

  /** Remove the numbers that have been advanced. */
  private final List<Runnable> numbers = new ArrayList<>();

  /** A request: what ends it, and whether it was answered once. */
  private record Element(Runnable trigger, BooleanSupplier isSettled) {}

  /** Holds the requests. */
  ChainRun(Chain chain, List<Crowd> crowds, Timer timer, Violations violations) {
    this.chain = chain;
    this.violations = violations;
    replies = Replies.builder("chain", Integer.class, Integer.class).timer(timer).build();
    for (int i = 0; i < chain.length(); i++) {
      Crowd crowd = crowds.get(i % crowds.size());
      elements.add(element(crowd, crowd.aNewKey(), i + 1));
    }
  }

  private Element element(Crowd crowd, int key, int next) {
    return switch (chain.link()) {
      case SIGNAL, COMPLETE, ADD -> operation(crowd, key, next);
      case SIGNAL_IN_CONDITION, ADVANCE_IN_CONDITION -> condition(crowd, key, next);
      default -> future(crowd.purgatory, key, next);
    };
  }

  private Element operation(Crowd crowd, int key, int next) {
    BulkOperation operation =
        new BulkOperation.Delayed(List.of(key), 0, Crowd.LONG_TIMEOUT_NANOS, () -> endNext(next));
    if (chain.link() != Link.ADD) {
      operation.hold(crowd.purgatory);
    }
    return new Element(
        () -> {
          operation.ready = true;
          switch (chain.link()) {
            case SIGNAL -> crowd.purgatory.signal(key);
            case COMPLETE -> operation.complete();
            default -> operation.hold(crowd.purgatory);
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
    numbers.add(() -> crowd.thresholds.remove(key));
    return answered(
        hold.reaching(crowd.thresholds, key, 1).forever().hold(),
        () -> {
          ready[0] = true;
          crowd.thresholds.advance(key, 1);
        });
  }

  /** A request whose dependent ends the next one. */
  private Element future(Purgatory<Integer> purgatory, int key, int next) {
    Hold.Untimed<Integer, Integer> hold = purgatory.untilCompleted();
    CompletableFuture<Integer> stage = new CompletableFuture<>();
    Scope scope = Scope.of("chain");
    HeldFuture<Integer> future =
        switch (chain.link()) {
          case REPLY -> replies.expect(next, LONG_TIMEOUT);
          case TIMED_STAGE -> purgatory.timeout(stage, LONG_TIMEOUT);
          case EVALUATION -> purgatory.untilAsync(() -> stage).forever().hold(key);
          case CLOSE_SCOPE -> hold.inScope(scope).forever().hold(key);
          default -> hold.forever().hold(key);
        };
    Runnable trigger =
        switch (chain.link()) {
          case REPLY -> () -> replies.complete(next, key);
          case TIMED_STAGE, EVALUATION -> () -> stage.complete(key);
          case CLOSE_SCOPE -> scope::close;
          case COMPLETE_FOR_KEY -> () -> WatchListsView.completeForKey(purgatory, key, key);
          case CANCEL_FUTURE -> () -> future.cancel(false);
          default -> () -> future.complete(key);
        };
    Element element = answered(future, trigger);
    var unused = future.whenComplete((value, error) -> endNext(next));
    return element;
  }

  private static Element answered(HeldFuture<Integer> future, Runnable trigger) {
    AtomicInteger answers = new AtomicInteger();
    var unused = future.whenComplete((value, error) -> answers.incrementAndGet());
    return new Element(trigger, () -> future.outcome() != null && answers.get() == 1);
  }

  /** Ends the first request. The last one may be answered later, on another thread. */
  void run() {
    elements.get(0).trigger.run();
  }

  private void endNext(int next) {
    violations.require(StackDepth.isBounded(), Invariant.STACK_DEPTH, "request " + next);
    if (next < elements.size()) {
      elements.get(next).trigger.run();
    }
  }

  /** Removes what is left once all requests are answered. */
  void end() {
    numbers.forEach(Runnable::run);
  }

  /** Returns whether all requests are answered. */
  boolean isSettled() {
    return elements.stream().allMatch(each -> each.isSettled.getAsBoolean());
  }
}
