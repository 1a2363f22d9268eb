package dev.purgatory.checker;

import java.util.List;

/** Mistakes in sessions. */
final class SessionMutants {
  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "an expiry ignores a touch that came after the deadline",
              "session.SessionsTest",
              "session/SessionEntry",
              "if (reason == Reason.EXPIRED && after(before, timeout) > now) {",
              "if (reason == Reason.EXPIRED && after(before, timeout) < 0) {"),
          new Mutant(
              "an earlier touch replaces a later one",
              "session.SessionsTest",
              "session/SessionEntry",
              "before >= now || TOUCHED",
              "TOUCHED"),
          new Mutant(
              "a touched session is not scheduled again",
              "session.SessionsTest",
              "session/SessionEntry",
              "      if (isOpen()) {\n        scheduleAgain(alive, now);\n      }\n",
              ""),
          new Mutant(
              "an ended session keeps its owner reachable",
              "session.SessionsTest",
              "session/SessionEntry",
              "    owner = null;\n",
              ""),
          new Mutant(
              "a closed session stays in the timer",
              "session.SessionsTest",
              "session/Sessions",
              "    timer.cancel(session);\n",
              ""),
          new Mutant(
              "a session that was taken over stays in the timer",
              "session.SessionsTest",
              "session/Sessions",
              "        timer.cancel(former);\n",
              ""),
          new Mutant(
              "a session that is opened during close() stays open",
              "session.SessionsTest",
              "session/Sessions",
              "if (closed) { // close()",
              "if (now < 0) { // close()"),
          new Mutant(
              "open returns a session that close() has ended",
              "session.SessionsTest",
              "session/Sessions",
              "if (closed || !next.isOpen()",
              "if (!next.isOpen()"),
          new Mutant(
              "an expired session stays in the map",
              "session.SessionsTest",
              "session/Sessions",
              "      ends.add(end);\n      return null;",
              "      ends.add(end);\n      return reason == Reason.EXPIRED ? current : null;"),
          new Mutant(
              "a key that throws keeps other sessions open when all are closed",
              "session.SessionsTest",
              "session/Sessions",
              "LastResort.log(\"A session could not be closed\", e);",
              "throw e;"),
          new Mutant(
              "the clock calls the executor of a session listener",
              "session.SessionsTest",
              "session/Sessions",
              "ends.flushFromClock();",
              "ends.flush();"),
          new Mutant(
              "a session listener that throws stops the others",
              "session.SessionsTest",
              "session/EndQueue",
              "LastResort.log(\"A session listener threw\", e);",
              "throw e;"));

  private SessionMutants() {}
}
