package dev.purgatory.checker;

import java.util.List;

/** Mistakes in scopes, limits, key sets, signals that are not plain, and events. */
final class FeatureMutants {
  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "a request escapes a scope that closes meanwhile",
              "ScopeTest",
              "Scope",
              "boolean unused = how.end(registration);",
              "boolean unused = isClosed();"),
          new Mutant(
              "a scope ends its requests in one purgatory only",
              "ScopeTest",
              "Scope",
              "ended += purgatory.visitHidden(key, how::end);",
              "ended += purgatory.visitHidden(key, how::end);\n      break;"),
          new Mutant(
              "a request that has ended keeps its place under a limit",
              "LimitTest",
              "Limit",
              "limit.release(this);",
              "limit.name();"),
          new Mutant(
              "an evicted request frees its place twice",
              "LimitTest",
              "Limit",
              "place.counted = counted;",
              ""),
          new Mutant(
              "a limit admits one request too many",
              "LimitTest",
              "Limit",
              "requests < mostRequests &&",
              "requests <= mostRequests &&"),
          new Mutant(
              "a request takes its place under a limit in two steps",
              "LimitTest",
              "Limit",
              "if (agreed && !evicts) {",
              "}\n    synchronized (evicted) {\n      if (agreed && !evicts) {"),
          new Mutant(
              "a limit evicts before the others have agreed",
              "LimitTest",
              "Limit",
              "limit.reserve(place, registration);",
              "limit.reserve(place, registration);\n        if (limit.evicts) {\n          limit.evictFor(place, registration);\n        }"),
          new Mutant(
              "a limit that evicts does not ask first whether the request fits at all",
              "LimitTest",
              "Limit",
              "agreed = evicts ? place.weight <= mostWeight : fits(place);",
              "agreed = evicts || fits(place);"),
          new Mutant(
              "a refused request keeps its other places until its refusal is told",
              "LimitTest",
              "Limit",
              "        places[i].end();",
              "        places[i].limit.name();"),
          new Mutant(
              "a request that was evicted itself evicts others",
              "LimitTest",
              "Limit",
              "while (!registration.isEnded() && !fits(place)) {",
              "while (!fits(place)) {"),
          new Mutant(
              "a request without weight is evicted for weight",
              "LimitTest",
              "Limit",
              "if (light == weightless || !hasRoomForWeightOf(place)) {",
              "if (light == weightless) {"),
          new Mutant(
              "a limit does not evict the oldest request",
              "LimitTest",
              "Limit",
              "light.number < heavy.number",
              "light.number > heavy.number"),
          new Mutant(
              "a request on a key set of another purgatory is held",
              "KeySetTest",
              "KeySet",
              "if (holder != purgatory) {",
              "if (holder == null) {"),
          new Mutant(
              "an ordinary key is taken for the scope or key set that it is",
              "ScopeTest",
              "HiddenKey",
              "  @Override\n  public String toString() {",
              "  @Override\n  public boolean equals(Object other) {\n    return other == owner || this == other;\n  }\n\n  @Override\n  public int hashCode() {\n    return owner.hashCode();\n  }\n\n  @Override\n  public String toString() {"),
          new Mutant(
              "a scope keeps a purgatory that is closed",
              "ScopeTest",
              "Purgatory",
              "      link.set(null); // else the last end does\n",
              ""),
          new Mutant(
              "a closed scope keeps a purgatory",
              "ScopeTest",
              "Scope",
              "if (!isClosed() && !purgatories",
              "if (!purgatories"),
          new Mutant(
              "a snapshot does not count requests on key sets",
              "DiagnosticsTest",
              "Snapshots",
              "hidden.owner instanceof KeySet<?> set && set.isOpen()",
              "hidden.owner instanceof KeySet<?> set && set.isOpen() && retained < 0"),
          new Mutant(
              "a snapshot counts a list twice that moves",
              "DiagnosticsTest",
              "Snapshots",
              "if (!counted.add(list)) {",
              "if (!counted.add(list) && retained < 0) {"),
          new Mutant(
              "a signal does not reach key sets",
              "KeySetTest",
              "WatchList",
              "forwarding.add(registration);",
              "forwarding.size();"),
          new Mutant(
              "a closed key set is still signalled",
              "KeySetTest",
              "Purgatory",
              "purger.cleared(watchLists.clear(registration));\n    }",
              "}"),
          new Mutant(
              "signalAtMost completes one too many",
              "SignalTest",
              "WatchList",
              "return hits == most;",
              "return hits > most;"),
          new Mutant(
              "an evaluation for several signals gets the reason of one",
              "SignalTest",
              "Registration",
              "void check() {\n    check(null);",
              "void check() {\n    check(\"first\");"),
          new Mutant(
              "a periodic evaluation outlives its request",
              "SignalTest",
              "Recheck",
              "ended = true;\n    cancel(next.get());",
              "ended = true;"),
          new Mutant(
              "a periodic evaluation that an executor dropped was the last one",
              "FailureTest",
              "Recheck",
              "scheduleUnlessClosed(Math.max(periodNanos, LOST_NANOS));",
              "registration.wasHeld();"),
          new Mutant(
              "a timer that is closed during a periodic evaluation is an error",
              "FailureTest",
              "Recheck",
              "if (!timer.isClosed()) {\n        throw e;\n      }",
              "if (timer.isClosed()) {\n        throw e;\n      }"),
          new Mutant(
              "jitter shortens the time limit",
              "SignalTest",
              "HeldFuture",
              ": nanos + added;",
              ": nanos - added;"),
          new Mutant(
              "the answer is lost if the context throws",
              "SignalTest",
              "HeldFuture",
              "if (!isDone()) {\n        completion.run();",
              "if (in == null) {\n        completion.run();"),
          new Mutant(
              "an answer that comes too late is dropped",
              "HeldFutureTest",
              "Registration",
              "adapter().discard(operation);",
              "boolean unused = equals(operation);"),
          new Mutant(
              "what a condition took is lost if its context throws",
              "HeldFutureTest",
              "HeldFuture",
              "found.giveBack();\n        throw e;",
              "throw e;"),
          new Mutant(
              "what was given back is given back again",
              "HeldFutureTest",
              "HeldFuture",
              "value = null;\n      if (taken",
              "if (taken"),
          new Mutant(
              "a request that does not wait is held",
              "HeldFutureTest",
              "Admission",
              "if (timeout <= 0) {",
              "if (timeout < 0) {"),
          new Mutant(
              "a future that is kept keeps its purgatory",
              "HeldFutureTest",
              "Callbacks",
              "registration.releaseAdapter();",
              ""),
          new Mutant(
              "a future that is kept keeps its keys",
              "HeldFutureTest",
              "HeldFuture",
              "keys = List.of();",
              ""),
          new Mutant(
              "an adapter that throws late is never answered",
              "OperationAdapterTest",
              "Callbacks",
              "return -1;",
              "throw e;"),
          new Mutant(
              "a moved time limit outlives its request",
              "DeadlineTest",
              "MovedDeadline",
              "boolean unused = cancel();",
              "boolean unused = reached;"),
          new Mutant(
              "a moved request times out at its former deadline",
              "DeadlineTest",
              "Registration",
              "(now | MOVED) & ~SCHEDULED",
              "now | MOVED"),
          new Mutant(
              "an event that is disabled reads the clock",
              "FlightEventsTest",
              "timer/Timer",
              "FlightEvents.recordsLateClocks() ? now() - due : 0",
              "now() - due"),
          new Mutant(
              "the types of the events are loaded without a recording",
              "FlightEventsTest",
              "internal/FlightEvents",
              "AVAILABLE && FlightEventTypes.Recorder.exists() && (loaded || load())",
              "AVAILABLE && (loaded || load())"),
          new Mutant(
              "a recording that starts after the first timeout has no events",
              "FlightEventsTest",
              "internal/FlightEvents",
              "boolean unused = FlightEventTypes.Recorder.exists();\n      return true;",
              "return FlightEventTypes.Recorder.exists();"),
          new Mutant(
              "every timeout is recorded as late",
              "FlightEventsTest",
              "internal/FlightEventTypes",
              "return late >= nanos;",
              "return true;"),
          new Mutant(
              "a request that cannot be described is not recorded",
              "FlightEventsTest",
              "internal/FlightEventTypes",
              "return object.getClass().getName();",
              "throw new IllegalStateException(e);"),
          new Mutant(
              "the MXBean of a closed purgatory stays registered",
              "PurgatoryBeanTest",
              "Purgatory",
              "whenClosed.run();",
              "purge();"));

  private FeatureMutants() {}
}
