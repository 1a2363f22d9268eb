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
              "the current time is rounded up",
              "simulation",
              "timer/TimingWheels",
              "now / tickNanos);",
              "now / tickNanos + 1);"),
          new Mutant(
              "a wheel accepts deadlines beyond its span",
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
              "entries that move to a finer wheel are lost",
              "simulation",
              "timer/TimingWheels",
              "bucketOf(entry).append(entry, bucket.firstNumber());",
              ""),
          new Mutant(
              "entries are lost when two chunks are merged",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "    end += count;\n",
              ""),
          new Mutant(
              "a sweep of a chunk loses the last entry",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "kept += entry.scheduled();",
              "kept += i < end - 1 ? entry.scheduled() : 0;"),
          new Mutant(
              "cancelled entries are never swept",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "kept += entry.scheduled();",
              "kept += 1;"),
          new Mutant(
              "a purge of the timer stops halfway",
              "timer.TimerTest",
              "timer/TimingWheels",
              "return size + sweeper.buckets().size();",
              "return size;"),
          new Mutant(
              "housekeeping counts as fired",
              "timer.TimerBoundsTest",
              "timer/Timer",
              "return !(entry instanceof Alarm) && entry.due() == due;",
              "return entry.due() == due;"),
          new Mutant(
              "a closed timer has work",
              "timer.TimerTest",
              "timer/Timer",
              "    if (closed) {\n      return earliest;\n    }\n",
              ""),
          new Mutant(
              "cancelled entries fire",
              "simulation",
              "timer/Timer",
              "if (closed || !entry.end()) {",
              "if (closed || (!entry.end() && closed)) {"),
          new Mutant(
              "the first entries of a bucket are lost",
              "simulation",
              "timer/Bucket",
              "if (last == null) {\n      first = other.first;",
              "if (last == null) {\n      first = other.last;"),
          new Mutant(
              "the clock sleeps too long",
              "simulation",
              "timer/TimingWheels",
              "return nanos(head.due);",
              "return nanos(head.due + 1);"),
          new Mutant(
              "the clock is never woken",
              "timer.TimerTest",
              "timer/Timer",
              "    if (earlier) {\n      wake(stripe);\n    }\n",
              ""),
          new Mutant(
              "timeouts fire while a lock is held",
              "simulation",
              "timer/Timer",
              "fired += fireBefore(next, due);",
              "stripes[0].lock();\n        fired += fireBefore(next, due);\n        stripes[0].unlock();"),
          new Mutant(
              "long timeouts overflow",
              "timer.TimerTest",
              "timer/Timer",
              "sum < now ? Long.MAX_VALUE : sum",
              "sum"),
          new Mutant(
              "the clock runs backwards with its ticker",
              "simulation",
              "timer/Timer",
              "return Math.max(latest.get(), ticker.nanos() - origin);",
              "return ticker.nanos() - origin;"),
          new Mutant(
              "cancelling does not change the count",
              "simulation",
              "timer/Timer",
              "    countEnd(entry);\n    return true;",
              "    return true;"),
          new Mutant(
              "a rescheduled task runs at its former deadline",
              "simulation",
              "internal/MovableDeadline",
              "if (wanted > now) {",
              "if (wanted < now) {"),
          new Mutant(
              "a task is not moved to an earlier time",
              "simulation",
              "internal/MovableDeadline",
              "if (next < former) {",
              "if (next < 0) {"),
          new Mutant(
              "a task that is moved to an earlier time leaves its former entry",
              "simulation",
              "internal/MovableDeadline",
              "        boolean unused = timer.cancel(former);\n",
              ""),
          new Mutant(
              "the timer's thread never ends",
              "timer.TimerThreadTest",
              "timer/ClockThread",
              "timer.isEmpty() && end()",
              "timer.isClosed() && end()"),
          new Mutant(
              "a thread that could not be started counts as running",
              "timer.TimerThreadTest",
              "timer/ClockThread",
              "        thread = next;\n",
              "        thread = next;\n        running = true;\n"),
          new Mutant(
              "a scheduler relies on a start of the timer's thread that may still fail",
              "timer.TimerThreadTest",
              "timer/ClockThread",
              "!running && starters.add(",
              "!running && starters.isEmpty() && starters.add("),
          new Mutant(
              "a lock is held while the factory of the timer's thread runs",
              "timer.TimerThreadTest",
              "timer/ClockThread",
              "Thread next = factory.newThread(this);",
              "lock.lock();\n    Thread next;\n    try {\n      next = factory.newThread(this);\n    } finally {\n      lock.unlock();\n    }"),
          new Mutant(
              "a reconfiguration loses entries",
              "simulation",
              "timer/TimingWheels",
              "          target.insertMoved(entry, bucket.firstNumber());\n",
              ""),
          new Mutant(
              "former wheels do not fire",
              "timer.ReconfigureTest",
              "timer/Stripe",
              "more = former != null && former.advance(",
              "more = former == null && wheels.advance("),
          new Mutant(
              "entries with the same deadline fire in any order",
              "timer.TimerOrderTest",
              "timer/Due",
              "Long.compare(number, other.number)",
              "Long.compare(other.number, number)"),
          new Mutant(
              "each stripe fires by itself",
              "timer.TimerOrderTest",
              "timer/Timer",
              "            stripe.takeDue(until, due);\n",
              "            stripe.takeDue(until, due);\n            fired += fireBefore(next, due);\n"),
          new Mutant(
              "what is scheduled while the clock visits the stripes fires at once",
              "timer.TimerOrderTest",
              "timer/Timer",
              "        next = before;\n",
              ""),
          new Mutant(
              "a sweep mixes up the order of entries",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "      numbers[kept] = numbers[i];\n",
              ""),
          new Mutant(
              "a number that is far from the first of its chunk is cut off",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "if (end == entries.length || difference != (int) difference) {",
              "if (end == entries.length) {"),
          new Mutant(
              "chunks are merged although their numbers are far apart",
              "timer.TimingWheelsTest",
              "timer/Chunk",
              "      if (difference != (int) difference) {\n        return false;\n      }\n",
              ""));

  private TimerMutants() {}
}
