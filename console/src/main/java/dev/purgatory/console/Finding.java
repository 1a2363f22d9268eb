package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Diagnostics.Checks;
import dev.purgatory.HeldRequest;
import dev.purgatory.Scope;
import dev.purgatory.base.DurationText;
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
 * Something that is probably wrong: see {@link Findings}. As text, it is a line for a log.
 *
 * @param kind which rule found it, the same for all findings of that rule
 * @param purgatory the name of the purgatory; null if it is about the whole program
 * @param key what the key is called that it is about; null if it is about no key, or about several
 * @param title what is wrong, in a short sentence without numbers
 * @param evidence the numbers that show it
 * @param hint which code to look for, and what to do
 * @param page the page that says more, relative to the docs
 */
public record Finding(
    String kind,
    @Nullable String purgatory,
    @Nullable String key,
    String title,
    String evidence,
    String hint,
    String page) {

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
  private static final int MANY_CHECKS_PER_SECOND = 1_000;
  private static final int MANY_WAITERS = 100;
  private static final int MANY_UNANSWERED = 100;

  /** The percentage of a limit that is used, and of ends that are timeouts. */
  private static final int NEARLY_ALL = 90;

  private static final Duration LATE = Duration.ofMillis(100);

  /** Returns a line for a log. */
  @Override
  public String toString() {
    return (purgatory == null ? "" : purgatory + ": ") + title + ". " + evidence + ' ' + hint;
  }

  /**
   * Applies all rules.
   *
   * @param before an earlier observation; null if there is none
   * @param last the observation of a second ago or more; null if there is none
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
    findBusyCondition(now, name, findings);
    findVainChecks(before, now, findings);
    findVainTimeouts(before, now, findings);
    findLateClock(before, now, findings);
    findSlowExecutor(last, now, findings);
    findHotKey(now, name, findings);
    findBusyOwner(now, name, findings);
    findFullLimits(last, now, findings);
    return findings;
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
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
                String called = name.apply(key);
                findings.add(
                    new Finding(
                        "missed-signal",
                        now.reading().name(),
                        called,
                        "Nobody signals " + called,
                        text(
                            "%,d of %,d ended requests were ready, and only the timeout noticed.",
                            more, ends),
                        "Look for code that changes the condition without signal(" + called + ").",
                        "use/diagnostics.md#what-counts-as-a-missed-signal"));
              }
            });
  }

  /** A condition that signals its own key is checked for ever, and none is answered. */
  private static void findBusyCondition(
      Observation now, Function<Object, String> name, List<Finding> findings) {
    double most = MANY_CHECKS_PER_SECOND;
    HeldRequest<?> busiest = null;
    for (int i = 0; i < now.walk().checks().size(); i++) {
      Checks checks = now.walk().checks().get(i);
      HeldRequest<?> request = now.requests().get(i);
      if (checks != null
          && !checks.isPeriodic()
          && checks.count() > MANY_CHECKS_PER_SECOND
          && checks.count() / seconds(request) > most) {
        most = checks.count() / seconds(request);
        busiest = request;
      }
    }
    if (busiest != null && !busiest.keys().isEmpty()) {
      String called = name.apply(busiest.keys().get(0));
      findings.add(
          new Finding(
              "busy-condition",
              now.reading().name(),
              called,
              "A condition on " + called + " is checked again and again",
              text("A request was checked %,.0f times each second since it was held.", most),
              "Look for a condition that calls signal, or for a loop that does. Else use"
                  + " signalAtMost or thresholds.",
              "use/signals.md"));
    }
  }

  private static double seconds(HeldRequest<?> request) {
    return request.heldFor().toNanos() / 1e9;
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
              now.reading().name(),
              null,
              "Most signals answer no request",
              text("Half of %,d completed requests took %,d checks or more.", completions, median),
              "Signal finer keys, or use thresholds or signalAtMost.",
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
              now.reading().name(),
              null,
              "Requests are signalled, and time out all the same",
              text(
                  "%,d of %,d ended at their limit; half of %,d old ones were checked %,d times or"
                      + " more.",
                  timeouts, ends, Observation.total(checks), median),
              "Look for a signal before the change, or a condition that reads something else.",
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
              now.reading().name(),
              null,
              "Timeouts are late",
              text(
                  "Half of %,d came %s or more after their deadline.",
                  timeouts, DurationText.of(median)),
              "Look for pauses, too little processor time, or a busy executor. A timer with such a"
                  + " tick is no fault.",
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
              now.reading().name(),
              null,
              "The executor does not keep up",
              text("%,d answers wait for it, and do not become fewer.", waiting),
              "Look for answers that block, or give it more threads.",
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
      String called = name.apply(requireNonNull(first.getKey()));
      findings.add(
          new Finding(
              "hot-key",
              now.reading().name(),
              called,
              "More than half of the requests wait for " + called,
              text("%,d of %,d, on %,d keys.", first.getValue(), pending, now.walk().keys()),
              "Each signal checks all of them. If it can answer only a few, use signalAtMost or"
                  + " thresholds.",
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
                    now.reading().name(),
                    null,
                    "More than half of the requests belong to " + name.apply(owner),
                    text("%,d of %,d, of %,d owners.", requests, held, owned.size()),
                    "One owner can fill the memory for all. Give each a limit.",
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
                now.reading().name(),
                null,
                "The limit " + use.limit() + " is nearly reached",
                text(
                    "%,d of %,d %s are used, for a second or more.",
                    use.used(), use.most(), use.unit()),
                "Beyond it, requests fail. End requests sooner, or raise the limit if there is"
                    + " memory.",
                "use/owners-and-limits.md#limits"));
      }
    }
  }

  private static boolean isNearlyFull(Observation.Use use) {
    return use.used() >= use.most() / 100.0 * NEARLY_ALL;
  }
}
