package dev.purgatory.checker;

import java.util.List;

/** Mistakes that break the bounds on memory, waiting times, stack depth and threads. */
final class BoundsMutants {
  static final List<Mutant> ALL =
      List.of(
          // Memory.
          new Mutant(
              "cancelled entries stay in the timer",
              "simulation",
              "timer/Timer",
              "if ((ends & (ENDS_PER_LOOK - 1)) == 0) {",
              "if (ends < 0) {"),
          new Mutant(
              "a cancelled task stays reachable",
              "simulation",
              "timer/ScheduledTask",
              "        task = null;\n        timer.countEnd(this);",
              "        timer.countEnd(this);"),
          new Mutant(
              "the map of keys never shrinks",
              "BoundsTest",
              "WatchLists",
              "return stuck || created",
              "return stuck && created"),
          new Mutant(
              "the threads of an idle purgatory never end",
              "simulation",
              "internal/Helpers",
              "turns == 0 && (left = end - System.nanoTime()) > 0",
              "turns == 0 && (left = IDLE_NANOS + end - end) > 0"),
          new Mutant(
              "unused keys stay on an idle purgatory",
              "simulation",
              "Purger",
              "if (!armed.get() && !closed",
              "if (armed.get() && !closed"),
          new Mutant(
              "operations that end do not look for a due purge",
              "simulation",
              "Purger",
              "if (look && !purging.get()) {",
              "if (closed && !purging.get()) {"),
          new Mutant(
              "the library retains a thread that has called it",
              "BoundsTest",
              "Nesting",
              "OWNER.setRelease(OWNERS, slot, (Thread) null);",
              ""),
          new Mutant(
              "a key that throws stops the purge",
              "BoundsTest",
              "WatchLists",
              "stuck = true;\n      LastResort.log(KEY_FAILED, e);",
              "throw new IllegalStateException(e);"),
          new Mutant(
              "a list cannot be found while it is moved",
              "MapsTest",
              "Maps",
              "WatchList list = older == null ? null : older.get(key);",
              "WatchList list = older == null ? null : older.remove(key);"),
          // Waiting times and stack depth.
          new Mutant(
              "a deadline in the past fires inside schedule",
              "simulation",
              "timer/Timer",
              "schedule(timeout, now);\n    return timeout;",
              "schedule(timeout, now);\n    advance();\n    return timeout;"),
          new Mutant(
              "answers nest without a limit",
              "simulation",
              "Nesting",
              "return before >= MOST;",
              "return before < 0;"),
          new Mutant(
              "an answer waits for the callback that triggers it",
              "BoundsTest",
              "Callbacks",
              "if (!Nesting.isTooDeep(depth)\n          || !answerOnHelper(registration, operation, outcome, attached)) {\n        answerNow(registration, operation, outcome, attached);\n      }",
              """
              class Later {
                static final ThreadLocal<java.util.ArrayDeque<Runnable>> QUEUE = new ThreadLocal<>();
              }

              boolean outermost = Later.QUEUE.get() == null;
              if (outermost) {
                Later.QUEUE.set(new java.util.ArrayDeque<>());
              }
              Later.QUEUE.get().add(() -> answerNow(registration, operation, outcome, attached));
              for (Runnable next; outermost && (next = Later.QUEUE.get().poll()) != null; ) {
                next.run();
              }
              if (outermost) {
                Later.QUEUE.remove();
              }
              """),
          new Mutant(
              "the clock waits for an executor",
              "BoundsTest",
              "Purgatory",
              "expirations != null && timer.hasThread(),",
              "false,"),
          new Mutant(
              "signals keep an evaluator busy without a limit",
              "BoundsTest",
              "Registration",
              "if (rechecks++ == mostRechecks &&",
              "if (rechecks++ < 0 &&"),
          new Mutant(
              "a walk passes all that was completed before",
              "WatchListsTest",
              "WatchList",
              "int removed = removeClearedFront();",
              "int removed = 0;"),
          new Mutant(
              "a walk passes what was completed before in the first array",
              "WatchListsTest",
              "WatchList",
              "walker.skip(chain == null ? 0 : chain.skipped());",
              "walker.skip(0);"),
          new Mutant(
              "a walk passes what was completed before behind a request that stays",
              "WatchListsTest",
              "WatchList",
              "return behind * 4L >=",
              "return behind < 0 && behind * 4L >="),
          new Mutant(
              "a walk skips operations after a sweep of the front",
              "WatchListsTest",
              "RegistrationChain",
              "      first = rest;\n      skipped = 0;",
              "      first = rest;"),
          new Mutant(
              "an array of a list grows without a limit",
              "BoundsTest",
              "RegistrationChain",
              "new Registrations(Registrations.MAX_LENGTH);",
              "new Registrations(size);"),
          new Mutant(
              "threads choose stripes by their raw ids",
              "internal.StripesTest",
              "internal/Stripes",
              "return (int) ((((threadId * GOLDEN) >>> 32) * count) >>> 32);",
              "return (int) threadId & (count - 1);"),
          new Mutant(
              "late tasks fire in the order in which they were added",
              "timer.TimerBoundsTest",
              "timer/Timer",
              "        sort(due);\n",
              ""),
          new Mutant(
              "upper buckets are split when they start, not ahead of time",
              "timer.TimerBoundsTest",
              "timer/Timer",
              "        stripe.splitAhead();\n",
              ""),
          new Mutant(
              "cancelled entries move to finer wheels",
              "timer.TimerBoundsTest",
              "timer/TimingWheels",
              "if (entry.isScheduled()) {\n      bucketOf(entry)",
              "if (clock >= 0) {\n      bucketOf(entry)"),
          new Mutant(
              "the time held is counted from the start of the clock",
              "BoundsTest",
              "Registration",
              "return Math.max(0, now - (deadline() - limit(timeout)));",
              "return now;"),
          new Mutant(
              "close() does not wait for answers",
              "BoundsTest",
              "Purgatory",
              "awaitAnswers(Ticker.system().nanos() + Long.MAX_VALUE);",
              "awaitAnswers(Ticker.system().nanos() + 10_000_000);"),
          new Mutant(
              "an operation that is ready times out",
              "BoundsTest",
              "Registration",
              "expire(boolean here) {\n    if (evaluate(",
              "expire(boolean here) {\n    if (isEnded() && evaluate("),
          // Other bounds.
          new Mutant(
              "an operation without a timeout is in the timer",
              "simulation",
              "Registration",
              "return timeout < LONGEST;",
              "return true;"),
          new Mutant(
              "threads inherit the context class loader of a caller",
              "BoundsTest",
              "internal/Helpers",
              "setContextClassLoader(lane.contextClassLoader());",
              ""));

  private BoundsMutants() {}
}
