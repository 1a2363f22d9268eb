package dev.purgatory.checker;

import dev.purgatory.checker.BulkStep.Chain;
import java.util.ArrayList;
import java.util.List;

/** A chain of operations, each of which ends the next one from its callback. */
final class ChainRun {
  private final Chain chain;
  private final List<Crowd> crowds;
  private final Violations violations;
  private final List<BulkOperation> operations = new ArrayList<>();

  /** Creates the operations. */
  ChainRun(Chain chain, List<Crowd> crowds, Violations violations) {
    this.chain = chain;
    this.crowds = crowds;
    this.violations = violations;
    for (int i = 0; i < chain.length(); i++) {
      int next = i + 1;
      List<Integer> keys = List.of(crowd(i).aNewKey());
      operations.add(
          new BulkOperation.Delayed(keys, 0, Crowd.LONG_TIMEOUT_NANOS, () -> answered(next)));
    }
  }

  private Crowd crowd(int number) {
    return crowds.get(number % crowds.size());
  }

  /** Ends the first operation. The last one may be answered later, on another thread. */
  void run() {
    if (chain.link() != BulkStep.Link.ADD) {
      for (int i = 0; i < operations.size(); i++) {
        add(i);
      }
    }
    trigger(0);
  }

  private void add(int number) {
    BulkOperation operation = operations.get(number);
    operation.hold(crowd(number).purgatory);
  }

  private void answered(int next) {
    violations.require(StackDepth.isBounded(), Invariant.STACK_DEPTH, "operation " + next);
    if (next < operations.size()) {
      trigger(next);
    }
  }

  private void trigger(int number) {
    BulkOperation operation = operations.get(number);
    operation.ready = true;
    switch (chain.link()) {
      case SIGNAL -> crowd(number).purgatory.signal(operation.keys.get(0));
      case COMPLETE -> operation.complete();
      case ADD -> add(number);
    }
  }

  /** Returns whether all operations are answered. */
  boolean isSettled() {
    return operations.stream().allMatch(BulkOperation::isSettled);
  }
}
