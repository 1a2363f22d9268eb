package dev.purgatory.checker;

import java.util.List;

/** Mistakes in what a purgatory does with an operation. */
final class BehaviourMutants {
  static final List<Mutant> ALL =
      List.of(
          // Adding operations.
          new Mutant(
              "no second check",
              "PromisesTest",
              "Admission",
              "\n    registration.check();\n",
              "\n"),
          new Mutant(
              "only the first key is watched",
              "simulation",
              "Admission",
              ": watchLists.watch(key, registration);\n        lists++;",
              ": watchLists.watch(key, registration);\n        lists++;\n        break;"),
          new Mutant(
              "an operation may be added twice",
              "simulation",
              "OperationState",
              "if ((now & ADMITTED) != 0) {",
              "if ((now & ADMITTED) > ADMITTED) {"),
          new Mutant(
              "an operation stays held if adding it fails halfway",
              "simulation",
              "Admission",
              "boolean unused = registration.abort(e);\n      throw e;",
              "throw e;"),
          new Mutant(
              "an operation that ends while it is added is counted as held",
              "OperationAdapterTest",
              "Registration",
              "purgatory().endPending();\n    purgatory().noticeDrained();",
              "purgatory().noticeDrained();"),
          new Mutant(
              "adding ignores that the purgatory was closed meanwhile",
              "simulation",
              "Admission",
              "purgatory.closeOne(registration);",
              "registration.isEnded();"),
          // Ending operations.
          new Mutant(
              "a signal during an evaluation is lost",
              "PromisesTest",
              "Registration",
              "if ((now & RECHECK) != 0 && !isEnded(now)) {",
              "if ((now & RECHECK) > RECHECK && !isEnded(now)) {"),
          new Mutant(
              "the answer overlaps with an evaluation",
              "simulation",
              "Registration",
              "boolean evaluating = (before & EVALUATING) != 0;",
              "boolean evaluating = before < 0;"),
          new Mutant(
              "an answer may begin twice",
              "simulation",
              "OperationState",
              "return (setBits(ANSWERED) & ANSWERED) == 0;",
              "return (setBits(ANSWERED) & ANSWERED) >= 0;"),
          new Mutant(
              "the end is counted twice",
              "simulation",
              "Registration",
              "if ((before & HELD) != 0) {\n      purgatory().endPending();",
              "if ((before & HELD) != 0) {\n      purgatory().endPending();\n      purgatory().endPending();"),
          new Mutant(
              "two callers claim the same end",
              "duel",
              "OperationState",
              "if (casState(now, next)) {\n        return now;",
              "if (casState(now, next) || now >= 0) {\n        return now;"),
          new Mutant(
              "cancel() always returns true for a cancelled operation",
              "simulation",
              "Registration",
              "return end(Outcome.CANCELLED, 0,",
              "return outcome() == Outcome.CANCELLED || end(Outcome.CANCELLED, 0,"),
          new Mutant(
              "the timer retains operations that have ended",
              "simulation",
              "Purgatory",
              "      timer.countEnd(registration);\n",
              ""),
          new Mutant(
              "the lists retain operations that have ended",
              "simulation",
              "Registration",
              "void clear() {\n    referent = null;",
              "void clear() {"),
          new Mutant(
              "cleared registrations are not counted",
              "simulation",
              "WatchLists",
              "long after = completedButWatched.add(lists);",
              "long after = lists;"),
          new Mutant(
              "cancelForKey returns operations that others ended",
              "simulation",
              "Purgatory",
              "cancellation.test(registration) && cancelled.add(operation)",
              "(cancellation.test(registration) || cancelled.size() >= 0) && cancelled.add(operation)"),
          // Watch lists.
          new Mutant(
              "a list loses every fourth registration",
              "simulation",
              "Registrations",
              "registrations[size++] = registration;",
              "registrations[size++] = registration;\n    size -= size == 4 ? 1 : 0;"),
          new Mutant(
              "a retired list is used",
              "WatchListsTest",
              "WatchLists",
              "list.append(registration);\n      if (removed != WatchList.RETIRED) {\n        return removed;\n      }\n      maps",
              "list.append(registration);\n      if (removed != 7) {\n        return removed;\n      }\n      maps"),
          new Mutant(
              "a sweep of a list loses the first registration",
              "simulation",
              "Registrations",
              "int last = registrations.length - 1;\n    for (int i = 0;",
              "int last = registrations.length - 1;\n    for (int i = 1;"),
          new Mutant(
              "a walk of a list ends early",
              "simulation",
              "WatchList",
              "size = size();\n    }\n    for (; array",
              "size = Math.min(size(), 2);\n    }\n    for (; array"),
          new Mutant(
              "a purge is never due",
              "WatchListsTest",
              "WatchLists",
              "return ended > purgeInterval && ended",
              "return ended < 0 && ended"),
          // Callbacks.
          new Mutant(
              "an exception from a condition is thrown at the caller",
              "simulation",
              "Registration",
              "} catch (Throwable e) {\n      error = e;",
              "} catch (Throwable e) {\n      throw e;"),
          new Mutant(
              "an exception from a condition counts as false",
              "simulation",
              "Registration",
              "if (error != null && !abort(error)) {",
              "if (error != null && isEnded()) {"),
          new Mutant(
              "an exception from a condition is not reported after the end",
              "simulation",
              "Registration",
              "callbacks().failed(operation, Source.CONDITION, error);",
              ""),
          new Mutant(
              "the cause of a failure is lost",
              "simulation",
              "Registration",
              "if (failure != null) {",
              "if (failure != null && lists < 0) {"),
          new Mutant(
              "close() ends operations with TIMED_OUT",
              "simulation",
              "Registration",
              "closing ? Outcome.CLOSED : Outcome.TIMED_OUT",
              "Outcome.TIMED_OUT"),
          new Mutant(
              "onOutcome is not called for a cancelled operation",
              "simulation",
              "Callbacks",
              "if (registration.isForAdapter()) {\n      try",
              "if (registration.isForAdapter() && outcome != Outcome.CANCELLED) {\n      try"),
          new Mutant(
              "an operation that its condition completes is not counted for the signal",
              "PromisesTest",
              "Registration",
              "return (now & BY_EVALUATOR) != 0 && outcome(now) == Outcome.COMPLETED;",
              "return (now & BY_EVALUATOR) != 0 && outcome(now) == Outcome.COMPLETED && now < 0;"),
          // Futures and replies.
          new Mutant(
              "a cancelled future stays held",
              "HeldFutureTest",
              "HeldFuture",
              "endSelfAnswered(Outcome.CANCELLED, null) && settle",
              "settle"),
          new Mutant(
              "complete() replaces the value of the condition",
              "HeldFutureTest",
              "HeldFuture",
              "return endSelfAnswered(Outcome.COMPLETED, null) && settle",
              "endSelfAnswered(Outcome.COMPLETED, null);\n    return settle"),
          new Mutant(
              "a future retains its condition",
              "HeldFutureTest",
              "HeldFuture",
              "    condition = null;\n    onTimeout = null;",
              ""),
          new Mutant(
              "close() skips operations without a key",
              "HeldFutureTest",
              "WatchLists",
              "forEachMap((key, list) -> visitor.accept(list));\n    forEachUnnamed(visitor);",
              "forEachMap((key, list) -> visitor.accept(list));"),
          new Mutant(
              "an id can be awaited twice",
              "RepliesTest",
              "WatchList",
              "return free ? replaceOnly(registration) : IN_USE;",
              "return append(registration);"),
          new Mutant(
              "complete() on a future leaves its operation held",
              "simulation",
              "HeldFuture",
              "return endSelfAnswered(Outcome.COMPLETED, null) && settle",
              "return settle"),
          new Mutant(
              "the id of a reply stays in use after its end",
              "simulation",
              "WatchList",
              "boolean free = chain == null && (only == null || only.isEnded());",
              "boolean free = chain == null && only == null;"),
          new Mutant(
              "a late reply counts as expected",
              "simulation",
              "Replies",
              "each -> end(each, end)) > 0;",
              "each -> end(each, end)) >= 0;"),
          new Mutant(
              "failAll misses a reply",
              "simulation",
              "Replies",
              "purgatory.visitAll(each -> end(",
              "purgatory.visitAll(each -> pending() > 1 && end("),
          new Mutant(
              "a threshold keeps a request that has ended",
              "ThresholdsTest",
              "Thresholds",
              "if (from.marks.remove(this) != null && from.isUnused()) {",
              "if (from.marks.containsKey(this) && from.isUnused()) {"),
          new Mutant(
              "removing a number forgets the requests that wait for it",
              "ThresholdsTest",
              "Thresholds",
              "number.get() == NONE && marks.isEmpty()",
              "number.get() == NONE"),
          new Mutant(
              "an advance evaluates requests that it does not reach",
              "ThresholdsTest",
              "Thresholds",
              "new Edge(reached)",
              "new Edge(reached + 1)"),
          new Mutant(
              "an advance evaluates again what an earlier one has reached",
              "ThresholdsTest",
              "Thresholds",
              "return before == NONE ?",
              "return before < reached ?"),
          new Mutant(
              "the first number of a key does not reach the least threshold",
              "ThresholdsTest",
              "Thresholds",
              "return before == NONE ?",
              "return before > reached ?"),
          new Mutant(
              "a number shrinks",
              "ThresholdsTest",
              "Thresholds",
              "getAndAccumulate(reached, Math::max)",
              "getAndSet(reached)"),
          new Mutant(
              "a late release loses quota",
              "throttle.ThrottlesTest",
              "throttle/TokenBucket",
              "refill(time + nanos);",
              "refill(now);"),
          new Mutant(
              "a throttled request that was cancelled is charged",
              "throttle.ThrottlesTest",
              "throttle/Throttle",
              "if (!next.future.complete(next.amount)) {",
              "if (!next.future.complete(next.amount) && next.amount < 0) {"),
          new Mutant(
              "a small request overtakes a large one",
              "throttle.ThrottlesTest",
              "throttle/Throttle",
              "boolean taken = isIdle() && bucket.allows(amount);",
              "boolean taken = bucket.allows(amount);"),
          new Mutant(
              "an alarm is not moved when it becomes due earlier",
              "throttle.ThrottlesTest",
              "throttle/Throttle",
              "alarm != null && alarm.due() <= due &&",
              "alarm != null && due > 0 &&"),
          new Mutant(
              "a new request overtakes those that are released and not complete",
              "throttle.ThrottlesTest",
              "throttle/Throttle",
              "return line.first() == null && unreleased() == 0;",
              "return line.first() == null;"),
          new Mutant(
              "two threads release requests of a key",
              "throttle.ThrottlesTest",
              "throttle/Throttle",
              "if (!releasing) {\n                  first[0] = poll();\n                }",
              "first[0] = poll();"),
          new Mutant(
              "a quota that is not full is something to wait for",
              "throttle.ThrottlesTest",
              "throttle/Throttle",
              ": new Alarm(due, this::onAlarm);",
              ": new TaskEntry(due, this::onAlarm);"),
          new Mutant(
              "a task that an executor dropped is lost",
              "internal.DispatcherTest",
              "internal/Dispatcher",
              "    private void again() {\n",
              "    private void again() {\n      if (handovers > 0) { return; }\n"),
          new Mutant(
              "a task that an executor runs late runs twice",
              "internal.DispatcherTest",
              "internal/Dispatcher",
              "if (begun.compareAndSet(false, true)) {",
              "begun.set(true);\n      {"),
          new Mutant(
              "an executor that drops everything is asked for ever",
              "internal.DispatcherTest",
              "internal/Dispatcher",
              "handovers == MOST_HANDOVERS",
              "handovers < 0"),
          new Mutant(
              "alarms that were cancelled are not swept",
              "timer.TimerBoundsTest",
              "timer/Timer",
              "long ends = ended.add(1);",
              "long ends = ended.add(1) | (entry instanceof Alarm ? 1 : 0);"),
          new Mutant(
              "marks wait for a timer that was closed during the window",
              "SignalQueueTest",
              "timer/Timer",
              "listener.onClosed();",
              "listener.hashCode();"),
          new Mutant(
              "a change of the rate loses a fraction of a token",
              "throttle.TokenBucketTest",
              "throttle/TokenBucket",
              "fraction = Quotient.of(fraction, nextNanos, 0, periodNanos).whole;",
              "fraction = 0;"),
          new Mutant(
              "a mark at the end of a drain is lost",
              "SignalQueueTest",
              "SignalQueue",
              "again = draining;",
              "again = false; if (draining) return false;"),
          new Mutant(
              "a mark during a drain starts no other",
              "SignalQueueTest",
              "SignalQueue",
              "if (drain) {\n        started = false;\n      }",
              ""),
          new Mutant(
              "a run reads an empty set while others mark keys in it",
              "SignalQueueTest",
              "SignalQueue",
              "return Set.of();",
              "return marked;"),
          new Mutant(
              "a rejected drain is lost",
              "SignalQueueTest",
              "SignalQueue",
              "if (!requireNonNull(dispatcher).execute(this::drain)) {",
              "if (!requireNonNull(dispatcher).execute(() -> {})) {"),
          new Mutant(
              "a forgotten time limit means none",
              "HeldFutureTest",
              "Hold",
              "if (limit.nanos() == TimeLimit.UNSAID) {",
              "if (limit.nanos() < TimeLimit.UNSAID) {"),
          new Mutant(
              "a second time limit replaces the first one",
              "HeldFutureTest",
              "Hold",
              "if (limit.nanos() != TimeLimit.UNSAID) {",
              "if (limit.nanos() < TimeLimit.UNSAID) {"),
          new Mutant(
              "a negative time limit is accepted",
              "HeldFutureTest",
              "HeldFuture",
              "if (requireNonNull(time, \"timeout\").isNegative()) {",
              "if (requireNonNull(time, \"timeout\") == null) {"),
          new Mutant(
              "an interrupt does not cancel",
              "HeldFutureTest",
              "Hold",
              "if (future.cancel(false)) {",
              "if (!future.isDone()) {"),
          new Mutant(
              "a failure is reported twice",
              "simulation",
              "Callbacks",
              "listener.onError(operation, source, error);",
              "listener.onError(operation, source, error);\n        listener.onError(operation, source, error);"),
          new Mutant(
              "a task is lost if an executor rejects it",
              "simulation",
              "Callbacks",
              "failed(operation, EXECUTOR, e);\n      }\n    }\n    return false;",
              "failed(operation, EXECUTOR, e);\n      }\n    }\n    return !executors.isEmpty();"),
          new Mutant(
              "an interrupt is lost",
              "simulation",
              "internal/Lane",
              "Thread.currentThread().interrupt();",
              ""),
          new Mutant(
              "a closed lane drops its tasks",
              "internal.LaneTest",
              "internal/Lane",
              "if (!tryAdd(task)) {",
              "if (!tryAdd(task) && task == null) {"),
          new Mutant(
              "a task that blocks holds up its lane",
              "internal.LaneTest",
              "internal/Lane",
              "ask = begun == seen && tryAsk();\n      watched = false;",
              "ask = false;\n      watched = false;"),
          new Mutant(
              "a task that blocks keeps what has ended behind it",
              "internal.LaneTest",
              "internal/Lane",
              "if (!isObsolete(task)) {\n          ring[",
              "if (task != null) {\n          ring["),
          new Mutant(
              "a thread that adds a task starts a helper",
              "internal.LaneTest",
              "internal/Helpers",
              "timer.isDrivenHere() || ",
              "!timer.isDrivenHere() || "),
          new Mutant(
              "the threads of a timer are not bounded",
              "internal.LaneTest",
              "internal/Helpers",
              "threads + starting < MOST",
              "threads >= 0"),
          new Mutant(
              "close() runs dependents after its limit",
              "BoundsTest",
              "Purgatory",
              "Registration::cancelAtClose",
              "Registration::cancel"),
          new Mutant(
              "the end of a request without a time limit starts the clock",
              "BoundsTest",
              "Admission",
              "purgatory.purger().keepClock();",
              ""),
          // Closing.
          new Mutant(
              "close() leaves operations held",
              "simulation",
              "Purgatory",
              "visitAll(this::closeOne);",
              ""),
          new Mutant(
              "a closed purgatory accepts operations",
              "simulation",
              "Admission",
              "if (purgatory.isClosed()) {\n      throw refused(",
              "if (purgatory.isClosed() && limits == null) {\n      throw refused("));

  private BehaviourMutants() {}
}
