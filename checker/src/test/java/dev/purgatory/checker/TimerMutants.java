package dev.purgatory.checker;

import java.util.List;

/** Mistakes in the timer. */
final class TimerMutants {
  static final List<Mutant> ALL =
      List.of(
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
              "    return true;"));

  private TimerMutants() {}
}
