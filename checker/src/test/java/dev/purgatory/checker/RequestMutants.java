package dev.purgatory.checker;

import java.util.List;

/** Mistakes in features, such as thresholds, scopes and limits. Random programs catch them. */
final class RequestMutants {
  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "a request that is rescheduled keeps its first time limit",
              "simulation",
              "Registration",
              "return confirm(first) && !isEnded();",
              "return !isEnded();"),
          new Mutant(
              "an advance stops at the first request",
              "simulation",
              "Thresholds",
              "          completed++;",
              "          return 1;"),
          new Mutant(
              "a request that has ended stays at its threshold",
              "simulation",
              "Thresholds",
              "if (from.marks.remove(this) != null && from.isUnused()) {",
              "if (from.isUnused()) {"),
          new Mutant(
              "a key without a number is kept when its last request ends",
              "simulation",
              "Thresholds",
              "thresholds.removeUnused(key);",
              "thresholds.keys();"),
          new Mutant(
              "a threshold has to be exceeded",
              "simulation",
              "Thresholds",
              "return Long.MAX_VALUE;",
              "return -1;"),
          new Mutant(
              "a number that was removed and is reached again wakes nobody",
              "ThresholdsTest",
              "Thresholds",
              "if (mark.registration.wasHeld()",
              "if (marks.remove(mark) != null && mark.registration.wasHeld()"),
          new Mutant(
              "an advance lowers a number",
              "simulation",
              "Thresholds",
              "number.getAndAccumulate(reached, Math::max);",
              "number.getAndSet(reached);"),
          new Mutant(
              "a scope that fails cancels its requests",
              "simulation",
              "Scope",
              ": registration.fail(cause);",
              ": registration.cancel();"),
          new Mutant(
              "a request in a closed scope takes the place of another",
              "LimitTest",
              "Admission",
              "scope.enter(purgatory);\n      scope.endIfClosed(registration);",
              "scope.enter(purgatory);"),
          new Mutant(
              "a request is held in a scope that is closed meanwhile",
              "ScopeTest",
              "Admission",
              "scope.endIfClosed(registration);\n    }\n  }",
              "scope.limits();\n    }\n  }"),
          new Mutant(
              "a shared limit counts a request several times",
              "simulation",
              "Admission",
              "new LinkedHashSet<>(limits)",
              "new java.util.ArrayList<>(limits)"),
          new Mutant(
              "a limit evicts the newest request",
              "simulation",
              "Limit",
              "Place heavy = weighty.younger;",
              "Place heavy = weighty.older;"),
          new Mutant(
              "a limit does not get a weight back",
              "simulation",
              "Limit",
              "weight += (counted - place.counted) * place.weight;",
              "weight += (counted > place.counted ? 1 : 0) * place.weight;"),
          new Mutant(
              "the reason of a signal is lost",
              "simulation",
              "Purgatory",
              "each -> each.evaluate(reason)",
              "Registration::evaluate"),
          new Mutant(
              "failForKey cancels",
              "simulation",
              "Purgatory",
              "each -> each.fail(cause)",
              "each -> each.cancel()"),
          new Mutant(
              "a periodic evaluation happens once",
              "simulation",
              "Recheck",
              "scheduleUnlessClosed(periodNanos);",
              "scheduleUnlessClosed(Long.MAX_VALUE);"),
          new Mutant(
              "jitter exceeds its bound",
              "simulation",
              "HeldFuture",
              "nextLong(jitterNanos) + 1",
              "nextLong(jitterNanos) + jitterNanos + 1"),
          new Mutant(
              "a run of a signal queue signals one key",
              "simulation",
              "SignalQueue",
              "take(/* drain= */ false).forEach(",
              "take(/* drain= */ false).stream().limit(1).forEach("),
          new Mutant(
              "a signal queue starts once",
              "simulation",
              "SignalQueue",
              "if (drain) {\n        started = false;",
              "if (drain) {\n        started = true;"),
          new Mutant(
              "a missed signal counts for one of its keys",
              "simulation",
              "Diagnostics",
              "missed.merge(key, 1L, Long::sum);",
              "missed.merge(key, 1L, Long::sum);\n        break;"),
          new Mutant(
              "a token bucket is refilled beyond its burst",
              "simulation",
              "throttle/TokenBucket",
              "if (amount >= rate.burst() - tokens) {",
              "if (amount < 0) {"),
          new Mutant(
              "a throttled request overtakes another",
              "simulation",
              "throttle/Throttle",
              "boolean taken = isIdle() && bucket.allows(amount);",
              "boolean taken = bucket.allows(amount);"),
          new Mutant(
              "a throttled request is released without a charge",
              "simulation",
              "throttle/Throttle",
              "        bucket.take(first.amount);\n",
              ""),
          new Mutant(
              "a cancelled request stays in the line",
              "simulation",
              "throttle/Throttle",
              "if (waiter.isInLine()) {",
              "if (!waiter.isInLine()) {"),
          new Mutant(
              "a full bucket is kept",
              "simulation",
              "throttle/Throttle",
              "removed = own == null;",
              "removed = own != null;"),
          new Mutant(
              "a touched session expires at its first deadline",
              "simulation",
              "session/SessionEntry",
              "for (long before = touched; before >= 0; before = touched) {\n"
                  + "      if (before >= now",
              "for (long before = touched; before >= 0; before = touched) {\n"
                  + "      if (true || before >= now"),
          new Mutant(
              "tryOpen takes a session over",
              "simulation",
              "session/Sessions",
              "for (check(key, owner); !sessions.containsKey(key); check(key, owner)) {\n"
                  + "      SessionEntry<K, V> session = begin(key, owner, timeout, /* takesOver= */"
                  + " false);",
              "while (closed == false) {\n"
                  + "      SessionEntry<K, V> session = begin(key, owner, timeout, /* takesOver= */"
                  + " true);"));

  private RequestMutants() {}
}
