package dev.purgatory.checker;

import java.util.List;

/** Mistakes in what a purgatory does with an operation. */
final class BehaviourMutants {
  static final List<Mutant> ALL =
      List.of(
          // Coming in.
          new Mutant(
              "no second check", "simulation", "Purgatory", "\n    registration.check();\n", "\n"),
          new Mutant(
              "only the first key is watched",
              "simulation",
              "Purgatory",
              ": watchLists.watch(key, registration);\n        lists++;",
              ": watchLists.watch(key, registration);\n        lists++;\n        break;"),
          new Mutant(
              "an operation may be added twice",
              "simulation",
              "Registration",
              "if ((now & ADMITTED) != 0) {",
              "if ((now & ADMITTED) > ADMITTED) {"),
          new Mutant(
              "what fails half way stays held",
              "simulation",
              "Purgatory",
              "boolean unused = registration.abort(e);\n      throw e;",
              "throw e;"),
          new Mutant(
              "what ends while it comes in is counted",
              "OperationAdapterTest",
              "Registration",
              "purgatory().endPending();\n    return false;",
              "return false;"),
          new Mutant(
              "no look at whether it was closed meanwhile",
              "simulation",
              "Purgatory",
              "boolean unused = closeOne(registration);",
              "boolean unused = registration.isEnded();"),
          // Ending.
          new Mutant(
              "a check during an evaluation is forgotten",
              "PromisesTest",
              "Registration",
              "if ((now & RECHECK) != 0 && !isEnded(now)) {",
              "if ((now & RECHECK) > RECHECK && !isEnded(now)) {"),
          new Mutant(
              "callbacks do not wait for an evaluation",
              "simulation",
              "Registration",
              "boolean evaluating = (before & EVALUATING) != 0;",
              "boolean evaluating = before < 0;"),
          new Mutant(
              "an answer may begin twice",
              "simulation",
              "Registration",
              "return (setBits(ANSWERED) & ANSWERED) == 0;",
              "return (setBits(ANSWERED) & ANSWERED) >= 0;"),
          new Mutant(
              "the end is counted twice",
              "simulation",
              "Registration",
              "if ((before & HELD) != 0) {\n      purgatory().endPending();",
              "if ((before & HELD) != 0) {\n      purgatory().endPending();\n      purgatory().endPending();"),
          new Mutant(
              "an end is claimed without a look at others",
              "duel",
              "Registration",
              "if (casState(now, next)) {\n        return now;",
              "if (casState(now, next) || now >= 0) {\n        return now;"),
          new Mutant(
              "whoever cancels is told that he did",
              "simulation",
              "Registration",
              "return end(Outcome.CANCELLED,",
              "return outcome() == Outcome.CANCELLED || end(Outcome.CANCELLED,"),
          new Mutant(
              "the timer keeps what has ended",
              "simulation",
              "Purgatory",
              "      timer.countEnd(registration);\n",
              ""),
          new Mutant(
              "the lists keep what has ended",
              "simulation",
              "Registration",
              "void clear() {\n    referent = null;",
              "void clear() {"),
          new Mutant(
              "what is left on lists is not counted",
              "simulation",
              "WatchLists",
              "long after = completedButWatched.add(lists);",
              "long after = lists;"),
          new Mutant(
              "cancelForKey names what others ended",
              "simulation",
              "Purgatory",
              "registration.cancel() && cancelled.add(operation)",
              "(registration.cancel() || cancelled.size() >= 0) && cancelled.add(operation)"),
          // Lists.
          new Mutant(
              "a list forgets every fourth",
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
              "sweeping loses the first",
              "simulation",
              "Registrations",
              "int last = registrations.length - 1;\n    for (int i = 0;",
              "int last = registrations.length - 1;\n    for (int i = 1;"),
          new Mutant(
              "a walk sees what is added meanwhile, and not all of what was there",
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
              "a failure of a condition goes through",
              "simulation",
              "Registration",
              "if (!abort(e)) {\n        callbacks().failed(operation, Source.CONDITION, e);\n      }\n      return;",
              "throw e;"),
          new Mutant(
              "a failure of a condition counts as no",
              "simulation",
              "Registration",
              "if (!abort(e)) {",
              "if (adapter != null) {"),
          new Mutant(
              "nobody is told of a condition that fails after its operation has ended",
              "simulation",
              "Registration",
              "callbacks().failed(operation, Source.CONDITION, e);",
              ""),
          new Mutant(
              "the cause of a failure is lost",
              "simulation",
              "Registration",
              "if (failure != null) {",
              "if (failure != null && lists < 0) {"),
          new Mutant(
              "a closed purgatory says that time was up",
              "simulation",
              "Registration",
              "closing ? Outcome.CLOSED : Outcome.TIMED_OUT",
              "Outcome.TIMED_OUT"),
          new Mutant(
              "what was cancelled is not told",
              "simulation",
              "Callbacks",
              "if (registration.isForAdapter()) {\n      try",
              "if (registration.isForAdapter() && outcome != Outcome.CANCELLED) {\n      try"),
          new Mutant(
              "what a condition completes by itself is not counted for its check",
              "PromisesTest",
              "Registration",
              "return (now & BY_EVALUATOR) != 0 && outcome(now) == Outcome.COMPLETED;",
              "return (now & BY_EVALUATOR) != 0 && outcome(now) == Outcome.COMPLETED && now < 0;"),
          // Futures and replies.
          new Mutant(
              "a future that is cancelled stays held",
              "HeldFutureTest",
              "HeldFuture",
              "endSelfAnswered(Outcome.CANCELLED, null) && super.cancel(false)",
              "super.cancel(false)"),
          new Mutant(
              "a value from outside replaces one that was found",
              "HeldFutureTest",
              "HeldFuture",
              "return endSelfAnswered(Outcome.COMPLETED, null) && super.complete(value);",
              "endSelfAnswered(Outcome.COMPLETED, null);\n    return super.complete(value);"),
          new Mutant(
              "a future keeps its condition",
              "HeldFutureTest",
              "HeldFuture",
              "    condition = null;\n    onTimeout = null;",
              ""),
          new Mutant(
              "what has no key is not closed",
              "HeldFutureTest",
              "WatchLists",
              "forEachMap((key, list) -> visitor.accept(list));\n    forEachWithoutKey(visitor);",
              "forEachMap((key, list) -> visitor.accept(list));"),
          new Mutant(
              "an id can be awaited twice",
              "RepliesTest",
              "WatchList",
              "return free ? append(registration) : IN_USE;",
              "return append(registration);"),
          new Mutant(
              "a value from outside leaves its operation held",
              "simulation",
              "HeldFuture",
              "return endSelfAnswered(Outcome.COMPLETED, null) && super.complete(value);",
              "return super.complete(value);"),
          new Mutant(
              "the id of a reply stays in use after its end",
              "simulation",
              "WatchList",
              "boolean free = chain == null && (only == null || only.inUse() == 0);",
              "boolean free = chain == null && only == null;"),
          new Mutant(
              "a late reply is said to be awaited",
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
              "an executor that rejects is not replaced",
              "simulation",
              "Callbacks",
              "failed(operation, EXECUTOR, e);\n      }\n    }\n    return false;",
              "failed(operation, EXECUTOR, e);\n      }\n    }\n    return !executors.isEmpty();"),
          new Mutant(
              "an interrupt is swallowed",
              "simulation",
              "Worker",
              "Thread.currentThread().interrupt();",
              ""),
          new Mutant(
              "the worker drops what it rejects",
              "WorkerTest",
              "Worker",
              "task.run();\n      runWhatIsLeft",
              "runWhatIsLeft"),
          // Closing.
          new Mutant(
              "close() leaves what is held",
              "simulation",
              "Purgatory",
              "visitAll(this::closeOne);",
              ""),
          new Mutant(
              "a closed purgatory takes more", "simulation", "Purgatory", "throw refusal;", ""));

  private BehaviourMutants() {}
}
