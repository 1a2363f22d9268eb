package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldRequest;
import dev.purgatory.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Something that is probably wrong: see {@link Findings}.
 *
 * @param kind which rule found it, the same for all findings of that rule
 * @param title what is wrong, in a sentence
 * @param evidence the numbers that show it
 * @param meaning what that means and what to do
 * @param page the page that says more, relative to the docs
 */
public record Finding(String kind, String title, String evidence, String meaning, String page) {

  /*
   * A false alarm costs more than a missed one: after two of them, nobody reads the third. So each rule needs
   * enough cases, and a clear majority of them. It compares two observations that are about a minute apart, so
   * a finding disappears a minute after its cause. Without an earlier observation, it looks at everything since
   * the start, so a page that was just opened shows what went wrong before.
   */

  /** How many ends or misses a rule needs. */
  private static final int ENOUGH = 20;

  private static final int ENOUGH_MISSES = 3;
  private static final int MOST_MISSED_KEYS = 20;
  private static final int MANY_CHECKS = 10;
  private static final int MANY_WAITERS = 100;
  private static final int MANY_UNANSWERED = 100;

  /** The percentage of a limit that is used, and of ends that are timeouts. */
  private static final int NEARLY_ALL = 90;

  private static final Duration LATE = Duration.ofMillis(100);

  /**
   * Applies all rules.
   *
   * @param before an earlier observation; null if there is none
   * @param last the observation before this one; null if there is none
   * @param now the purgatory now
   * @param name returns what a key or a scope is called
   */
  static List<Finding> of(
      @Nullable Observation before,
      @Nullable Observation last,
      Observation now,
      Function<Object, String> name) {
    List<Finding> findings = new ArrayList<>();
    findMissedSignals(before, now, name, findings);
    findVainChecks(before, now, findings);
    findVainTimeouts(before, now, findings);
    findLateClock(before, now, findings);
    findSlowExecutor(last, now, findings);
    findHotKey(now, name, findings);
    findBusyOwner(now, name, findings);
    findFullLimits(last, now, findings);
    return findings;
  }

  private static void findMissedSignals(
      @Nullable Observation before,
      Observation now,
      Function<Object, String> name,
      List<Finding> findings) {
    Map<Object, Long> known = before == null ? Map.of() : before.missed();
    long ends =
        Observation.total(
            Observation.since(before == null ? null : before.heldNanos(), now.heldNanos()));
    now.missed()
        .forEach(
            (key, count) -> {
              long more = count - known.getOrDefault(key, 0L);
              if (more >= ENOUGH_MISSES && findings.size() < MOST_MISSED_KEYS) {
                findings.add(
                    new Finding(
                        "missed-signal",
                        "Nobody signals " + name.apply(key),
                        String.format(
                            Locale.ROOT,
                            "%,d of %,d requests that ended had it as a key, and their condition was"
                                + " true when their time limit was over, and at no signal before.",
                            more,
                            ends),
                        "Some code makes the condition true and does not call signal for this key. Its"
                            + " requests wait for their time limit.",
                        "use/diagnostics.md#what-counts-as-a-missed-signal"));
              }
            });
  }

  private static void findVainChecks(
      @Nullable Observation before, Observation now, List<Finding> findings) {
    SortedMap<Long, Long> checks =
        Observation.since(before == null ? null : before.checks(), now.checks());
    long completions = Observation.total(checks);
    long median = Observation.median(checks);
    if (completions >= ENOUGH && median > MANY_CHECKS) {
      findings.add(
          new Finding(
              "vain-checks",
              "Most signals answer no request",
              String.format(
                  Locale.ROOT,
                  "Half of %,d completed requests were checked %,d times or more.",
                  completions,
                  median),
              "Many signals come for keys of requests that they cannot complete. Use finer keys,"
                  + " thresholds, or signalAtMost.",
              "use/signals.md"));
    }
  }

  /** Requests that nobody signals end at their limit, too: but they are checked only at first. */
  private static void findVainTimeouts(
      @Nullable Observation before, Observation now, List<Finding> findings) {
    long ends = ended(now) - ended(before);
    long timeouts = timedOut(now) - timedOut(before);
    SortedMap<Long, Long> checks = now.checksOfOldRequests();
    long median = Observation.median(checks);
    if (timeouts >= ENOUGH
        && timeouts * 100 >= ends * NEARLY_ALL
        && Observation.total(checks) >= ENOUGH
        && median > MANY_CHECKS) {
      findings.add(
          new Finding(
              "vain-timeouts",
              "Requests are signalled, and time out all the same",
              String.format(
                  Locale.ROOT,
                  "%,d of %,d requests that ended had reached their limit. Of %,d that wait and have"
                      + " less than half of it left, half were checked %,d times or more.",
                  timeouts,
                  ends,
                  Observation.total(checks),
                  median),
              "Signals come, and find the condition false. It does not see what the signals are about,"
                  + " they come before the change, or the limit is too short.",
              "use/signals.md"));
    }
  }

  private static long ended(@Nullable Observation at) {
    return at == null ? 0 : Observation.total(at.heldNanos());
  }

  private static long timedOut(@Nullable Observation at) {
    PurgatoryReading.Counts counts = at == null ? null : at.reading().counts();
    return counts == null ? 0 : (long) counts.timedOut();
  }

  private static void findLateClock(
      @Nullable Observation before, Observation now, List<Finding> findings) {
    SortedMap<Long, Long> late =
        Observation.since(before == null ? null : before.lateNanos(), now.lateNanos());
    long timeouts = Observation.total(late);
    Duration median = Duration.ofNanos(Observation.median(late));
    if (timeouts >= ENOUGH && median.compareTo(LATE) > 0) {
      findings.add(
          new Finding(
              "late-clock",
              "Timeouts are late",
              String.format(
                  Locale.ROOT,
                  "Half of %,d timeouts came %,d ms or more after their deadline.",
                  timeouts,
                  median.toMillis()),
              "The process pauses, lacks processor time, or answers on an executor that is busy. It is"
                  + " no fault if the timer has a tick of that length.",
              "adapters/flight-recorder.md"));
    }
  }

  private static void findSlowExecutor(
      @Nullable Observation last, Observation now, List<Finding> findings) {
    long waiting = now.reading().unanswered();
    if (last != null
        && last.reading().unanswered() >= MANY_UNANSWERED
        && waiting >= last.reading().unanswered()) {
      findings.add(
          new Finding(
              "slow-executor",
              "The executor does not keep up",
              String.format(
                  Locale.ROOT,
                  "%,d requests have ended and wait for their answer; they do not become fewer.",
                  waiting),
              "The answers block, or the executor has too few threads.",
              "use/shutdown.md"));
    }
  }

  private static void findHotKey(
      Observation now, Function<Object, String> name, List<Finding> findings) {
    if (now.walk().waiters().isEmpty() || now.walk().keys() < ENOUGH) {
      return;
    }
    Map.Entry<?, Integer> first = now.walk().waiters().entrySet().iterator().next();
    long pending = now.reading().pending();
    if (first.getValue() >= MANY_WAITERS && first.getValue() * 2L > pending) {
      findings.add(
          new Finding(
              "hot-key",
              "More than half of the requests wait for "
                  + name.apply(requireNonNull(first.getKey())),
              String.format(
                  Locale.ROOT,
                  "%,d of %,d requests, on %,d keys.",
                  first.getValue(),
                  pending,
                  now.walk().keys()),
              "Each signal for it checks all of them, on the thread that signals. If a signal can answer"
                  + " only a few, use signalAtMost or thresholds.",
              "use/signals.md"));
    }
  }

  /**
   * A request in several scopes counts for the one with the fewest requests: a server and a tenant
   * with connections of their own are no owners that fill the purgatory alone.
   */
  private static void findBusyOwner(
      Observation now, Function<Object, String> name, List<Finding> findings) {
    Map<Scope, Integer> inScope = new HashMap<>();
    for (HeldRequest<?> each : now.requests()) {
      each.scopes().forEach(scope -> inScope.merge(scope, 1, Integer::sum));
    }
    Map<Scope, Integer> owned = new HashMap<>();
    for (HeldRequest<?> each : now.requests()) {
      each.scopes().stream()
          .min(Comparator.comparing(inScope::get))
          .ifPresent(owner -> owned.merge(owner, 1, Integer::sum));
    }
    int held = now.requests().size();
    owned.forEach(
        (owner, requests) -> {
          if (owned.size() >= ENOUGH && requests >= MANY_WAITERS && requests * 2 > held) {
            findings.add(
                new Finding(
                    "busy-owner",
                    "More than half of the requests belong to " + name.apply(owner),
                    String.format(
                        Locale.ROOT,
                        "%,d of %,d requests, of %,d owners.",
                        requests,
                        held,
                        owned.size()),
                    "One owner can fill the memory for all, and the callbacks of its requests delay"
                        + " those of others. Give each owner a limit.",
                    "use/owners-and-limits.md#limits"));
          }
        });
  }

  private static void findFullLimits(
      @Nullable Observation last, Observation now, List<Finding> findings) {
    if (last == null || last.limits().size() != now.limits().size()) {
      return;
    }
    for (int i = 0; i < now.limits().size(); i++) {
      Observation.Use use = now.limits().get(i);
      if (use.most() >= ENOUGH && isNearlyFull(use) && isNearlyFull(last.limits().get(i))) {
        findings.add(
            new Finding(
                "full-limit",
                "The limit " + use.limit() + " is nearly reached",
                String.format(
                    Locale.ROOT,
                    "%,d of %,d %s are used, for a second or more.",
                    use.used(),
                    use.most(),
                    use.unit()),
                "Requests beyond it fail, or make the oldest ones fail. Answer or end requests sooner,"
                    + " find who holds most, or raise the limit if there is memory.",
                "use/owners-and-limits.md#limits"));
      }
    }
  }

  private static boolean isNearlyFull(Observation.Use use) {
    return use.used() >= use.most() / 100.0 * NEARLY_ALL;
  }
}
