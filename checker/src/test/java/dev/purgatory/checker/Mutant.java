package dev.purgatory.checker;

import java.util.List;
import java.util.stream.Stream;

/**
 * A mistake that somebody might make in the core.
 *
 * @param name what the mistake is
 * @param stage the stage of {@link MutantMain} that catches it
 * @param file where it is made
 * @param right what stands there, once
 * @param wrong what is put in its place
 */
record Mutant(String name, String stage, String file, String right, String wrong) {

  private static final List<Mutant> OF_BEHAVIOUR =
      List.of(
          // Coming in.
          new Mutant(
              "no second check",
              "simulation",
              "Purgatory",
              "return operation.check();\n  }\n\n  /**\n   * Completes the",
              "return false;\n  }\n\n  /**\n   * Completes the"),
          new Mutant(
              "only the first key is watched",
              "simulation",
              "Purgatory",
              "cell.lists++;",
              "cell.lists++;\n        break;"),
          new Mutant(
              "an operation may be added twice",
              "simulation",
              "DelayedOperation",
              "if ((now & ADMITTED) != 0) {",
              "if ((now & ADMITTED) > ADMITTED) {"),
          new Mutant(
              "what fails half way stays held",
              "simulation",
              "Purgatory",
              "operation.cancel();\n      throw e;",
              "throw e;"),
          new Mutant(
              "what ends while it comes in is counted",
              "simulation",
              "DelayedOperation",
              "purgatory().endPending();\n    return null;",
              "return null;"),
          new Mutant(
              "no look at whether it was closed meanwhile",
              "simulation",
              "Purgatory",
              "expireForClose(operation); // close()",
              "// close()"),
          // Ending.
          new Mutant(
              "a check during an evaluation is forgotten",
              "PromisesTest",
              "DelayedOperation",
              "if ((now & RECHECK) != 0 && !isEnded(now)) {",
              "if ((now & RECHECK) > RECHECK && !isEnded(now)) {"),
          new Mutant(
              "callbacks do not wait for an evaluation",
              "simulation",
              "DelayedOperation",
              "boolean alone = (now & EVALUATING) == 0;",
              "boolean alone = now >= 0;"),
          new Mutant(
              "an answer may begin twice",
              "simulation",
              "DelayedOperation",
              "return setFlag(ANSWERED);",
              "return setFlag(ANSWERED) || true;"),
          new Mutant(
              "the end is counted twice",
              "simulation",
              "DelayedOperation",
              "if (held) {\n          purgatory().endPending();",
              "if (held) {\n          purgatory().endPending();\n          purgatory().endPending();"),
          new Mutant(
              "an end is claimed without a look at others",
              "duel",
              "DelayedOperation",
              "if (casState(now, (now & ~PHASE) | end | counted)) {",
              "state = (now & ~PHASE) | end | counted;\n      if (now >= 0) {"),
          new Mutant(
              "whoever cancels is told that he did",
              "simulation",
              "DelayedOperation",
              "return claim(CANCELLED, /* here= */ true);",
              "return claim(CANCELLED, /* here= */ true) || isCancelled();"),
          new Mutant(
              "the timer keeps what has ended",
              "simulation",
              "Purgatory",
              "      timer.cancel(cell);\n      purger",
              "      purger"),
          new Mutant(
              "the lists keep what has ended", "simulation", "WatchLists", "cell.clear();", ""),
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
              "operation.cancel() && cancelled.add((O) operation)",
              "{\n          operation.cancel();\n          return cancelled.add((O) operation);\n        }"),
          // Lists.
          new Mutant(
              "a list forgets every fourth",
              "simulation",
              "Cells",
              "cells[size++] = cell;",
              "cells[size++] = cell;\n    size -= size == 4 ? 1 : 0;"),
          new Mutant(
              "a retired list is used",
              "WatchListsTest",
              "WatchLists",
              "if (removed != WatchList.RETIRED) {",
              "if (removed != 7) {"),
          new Mutant(
              "sweeping loses the first",
              "simulation",
              "Cells",
              "int last = cells.length - 1;\n    for (int i = 0;",
              "int last = cells.length - 1;\n    for (int i = 1;"),
          new Mutant(
              "a walk sees what is added meanwhile, and not all of what was there",
              "simulation",
              "WatchList",
              "size = size();\n    }\n    if (cell",
              "size = Math.min(size(), 2);\n    }\n    if (cell"),
          new Mutant(
              "a purge is never due",
              "WatchListsTest",
              "WatchLists",
              "return ended > purgeInterval && ended",
              "return ended < 0 && ended"),
          // The timer.
          new Mutant(
              "deadlines are rounded down",
              "simulation",
              "timer/TimingWheels",
              "? floor : floor + 1;",
              "? floor : floor;"),
          new Mutant(
              "time is rounded up",
              "simulation",
              "timer/TimingWheels",
              "now / tickNanos);",
              "now / tickNanos + 1);"),
          new Mutant(
              "a wheel reaches too far",
              "simulation",
              "timer/Wheel",
              "< ring.length;",
              "< ring.length + 2;"),
          new Mutant(
              "a bucket is skipped",
              "simulation",
              "timer/TimingWheels",
              "due.takeAll(head);",
              "if (head.due % 7 != 3) {\n        due.takeAll(head);\n      }"),
          new Mutant(
              "what moves down is lost",
              "simulation",
              "timer/TimingWheels",
              "bucketOf(entry).append(entry);",
              ""),
          new Mutant(
              "what two chunks are put together from is lost",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "    end += count;\n",
              ""),
          new Mutant(
              "sweeping a chunk loses the last",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "kept += entry.scheduled();",
              "kept += i < end - 1 ? entry.scheduled() : 0;"),
          new Mutant(
              "what was cancelled is never swept",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "kept += entry.scheduled();",
              "kept += 1;"),
          new Mutant(
              "a purge of the timer ends half way",
              "timer.TimerTest",
              "timer/TimingWheels",
              "return size + sweeper.buckets().size();",
              "return size;"),
          new Mutant(
              "what was cancelled fires",
              "simulation",
              "timer/Timer",
              "if (closed || !entry.end()) {",
              "if (closed || (!entry.end() && closed)) {"),
          new Mutant(
              "the first of a bucket are lost",
              "simulation",
              "timer/Bucket",
              "if (last == null) {\n      first = other.first;",
              "if (last == null) {\n      first = other.last;"),
          new Mutant(
              "the clock is told to sleep too long",
              "simulation",
              "timer/TimingWheels",
              "return nanos(head.due);",
              "return nanos(head.due + 1);"),
          new Mutant(
              "nobody wakes the clock",
              "timer.TimerTest",
              "timer/Timer",
              "      wakeDrivers();\n    }\n  }",
              "    }\n  }"),
          new Mutant(
              "timeouts fire under the lock",
              "simulation",
              "timer/Stripe",
              "for (TimerEntry entry : expired) {\n        count += action.test(entry) ? 1 : 0;\n      }",
              "lock.lock();\n      for (TimerEntry entry : expired) {\n        count += action.test(entry) ? 1 : 0;\n      }\n      lock.unlock();"),
          new Mutant(
              "long timeouts wrap around",
              "timer.TimerTest",
              "timer/Timer",
              "sum < now ? Long.MAX_VALUE : sum",
              "sum"),
          new Mutant(
              "the clock runs back with its ticker",
              "simulation",
              "timer/Timer",
              "return Math.max(latest.get(), ticker.nanos() - origin);",
              "return ticker.nanos() - origin;"),
          new Mutant(
              "cancelling leaves the count",
              "simulation",
              "timer/Timer",
              "    countEnd(entry);\n    return true;",
              "    return true;"),
          // Callbacks.
          new Mutant(
              "a failure of tryComplete goes through",
              "simulation",
              "Callbacks",
              "return operation.tryComplete();\n    } catch (Throwable e) {\n      failed(operation, e);\n      return false;",
              "return operation.tryComplete();\n    } catch (Throwable e) {\n      throw e;"),
          new Mutant(
              "a failure is reported twice",
              "simulation",
              "Callbacks",
              "listener.onError(operation, error);",
              "listener.onError(operation, error);\n      listener.onError(operation, error);"),
          new Mutant(
              "an executor that rejects is not replaced",
              "simulation",
              "Callbacks",
              "failed(operation, e);\n      }\n    }\n    return false;",
              "failed(operation, e);\n      }\n    }\n    return !executors.isEmpty();"),
          new Mutant(
              "onExpiration is forgotten",
              "simulation",
              "Callbacks",
              "operation.onExpiration();",
              ""),
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
              "watchLists.forEach(list -> list.walk(this::expireForClose));",
              ""),
          new Mutant(
              "a closed purgatory takes more",
              "simulation",
              "Purgatory",
              "throw new IllegalStateException(\"the purgatory is closed\");",
              ""));

  static final List<Mutant> ALL =
      Stream.concat(OF_BEHAVIOUR.stream(), BoundsMutants.ALL.stream()).toList();
}
