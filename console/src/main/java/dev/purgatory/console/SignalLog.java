package dev.purgatory.console;

import dev.purgatory.Diagnostics.Checks;
import dev.purgatory.HeldRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The last signals of one purgatory, of a minute at most, as far as they were observed.
 *
 * @param recent the signals, the oldest first
 * @param nanos the time that they span; 0 if none was asked for before
 */
record SignalLog(List<Seen> recent, long nanos) {

  /*
   * A signal that finds nobody is normal: who appends to a topic does not know whether somebody waits. It is a
   * finding together with a request that it should have found. There are two kinds of proof. One is a key of a request
   * that waited at the time, and that reads the same: it is of another type, has no equals, or its hash code has
   * changed. The other is that requests missed a signal, while nearly all signals found nobody.
   *
   * Two keys may read the same and be different ones. So classes of users with an equals that tells them apart are
   * trusted, and so are classes of which another object was found.
   */

  private static final int MOST_NAMED = 3;

  /** How many signals or misses a rule needs. */
  private static final int ENOUGH = 3;

  /** The percentage of signals that find nobody. */
  private static final int NEARLY_ALL = 90;

  /** A request is checked twice when it comes. */
  private static final int UNSIGNALLED = 2;

  /** A signal that came between two samples, at these times in nanoseconds. */
  record Seen(long from, long until, SignalRecorder.Signal signal) {}

  /**
   * The last signal of a key.
   *
   * @param nanosAgo how long ago it was at most
   * @param completed how many requests it completed
   */
  record Last(long nanosAgo, int completed) {}

  /** A key on which requests wait that no signal has found, and for how long one has waited. */
  private record Waiting(Object key, long nanos) {}

  /** Returns the number of signals. */
  int size() {
    return recent.size();
  }

  /** Returns the time that they span, in seconds. */
  long seconds() {
    return (nanos + TimeUnit.SECONDS.toNanos(1) - 1) / TimeUnit.SECONDS.toNanos(1);
  }

  /** Returns the keys of signals that found nobody, the most frequent first. */
  Map<Object, Integer> unheard() {
    Map<Object, Integer> counts = new HashMap<>();
    for (Seen each : recent) {
      if (!each.signal.foundKey()) {
        ifItDoesNotThrow(() -> counts.merge(each.signal.key(), 1, Integer::sum));
      }
    }
    Map<Object, Integer> sorted = new LinkedHashMap<>();
    counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .forEach(each -> ifItDoesNotThrow(() -> sorted.put(each.getKey(), each.getValue())));
    return sorted;
  }

  /** Returns the last signal of each key, until a time. */
  Map<Object, Last> lastByKey(long now) {
    Map<Object, Last> last = new HashMap<>();
    for (Seen each : recent) {
      ifItDoesNotThrow(
          () -> last.put(each.signal.key(), new Last(now - each.from, each.signal.completed())));
    }
    return last;
  }

  /** Calls methods of keys, which may throw anything. Such a key is left out. */
  private static void ifItDoesNotThrow(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // Its requests cannot be found, and it is reported to the log by the purgatory.
    }
  }

  /**
   * Applies the rules.
   *
   * @param first an observation when the signals began to be observed; null if there is none
   * @param isNewWalk whether the requests of this observation were read anew
   * @param now the purgatory now
   * @param texts of the keys, to compare them
   * @param name returns what a key is called
   */
  List<Finding> findings(
      @Nullable Observation first,
      boolean isNewWalk,
      Observation now,
      Texts texts,
      Function<Object, String> name) {
    List<Finding> findings = new ArrayList<>();
    if (isNewWalk) { // else the requests may have ended
      findUnequalKeys(now, texts, name, findings);
    }
    if (first != null && findings.isEmpty()) {
      ifItDoesNotThrow(() -> findWrongKeys(first, now, name, findings));
    }
    return findings;
  }

  private void findUnequalKeys(
      Observation now, Texts texts, Function<Object, String> name, List<Finding> findings) {
    if (recent.stream().allMatch(each -> each.signal.foundKey())) {
      return;
    }
    Set<Class<?>> heard =
        recent.stream()
            .filter(each -> each.signal.foundKey())
            .map(each -> each.signal.key().getClass())
            .collect(Collectors.toSet());
    Map<String, Waiting> waiting = unsignalled(now, texts);
    Map<String, Integer> counts = new LinkedHashMap<>();
    Map<String, String> differences = new HashMap<>();
    for (Seen each : recent) {
      Object key = each.signal.key();
      if (!each.signal.foundKey()) {
        ifItDoesNotThrow(
            () -> {
              String text = texts.compared(key);
              Waiting other = text == null ? null : waiting.get(text);
              if (other != null && now.nanos() - each.from < other.nanos) {
                String difference = difference(key, other.key, heard);
                if (difference != null) {
                  counts.merge(text, 1, Integer::sum);
                  differences.put(text, difference);
                }
              }
            });
      }
    }
    counts.forEach(
        (text, count) -> {
          Waiting found = waiting.get(text);
          if (count >= ENOUGH && found != null && findings.size() < MOST_NAMED) {
            String called = name.apply(found.key);
            findings.add(
                new Finding(
                    "unequal-keys",
                    now.reading().name(),
                    called,
                    "Signals do not find the requests on " + called,
                    String.format(
                        Locale.ROOT,
                        "%,d signals of the last %d s were for a key that reads the same: %s.",
                        count,
                        seconds(),
                        differences.get(text)),
                    "Look for signal("
                        + called
                        + "), and use the type with which requests are held.",
                    "use/console.md#findings"));
          }
        });
  }

  /** Returns the keys that no signal has found, by their text. */
  private static Map<String, Waiting> unsignalled(Observation now, Texts texts) {
    Map<Object, Checks> checks = now.lastChecks();
    Map<String, Waiting> waiting = new HashMap<>();
    for (HeldRequest<?> each : now.requests()) { // the oldest comes first
      for (Object key : each.keys()) {
        ifItDoesNotThrow(
            () -> {
              Checks last = checks.get(key);
              if (last == null || last.isPeriodic() || last.count() <= UNSIGNALLED) {
                String text = texts.compared(key);
                if (text != null) {
                  waiting.putIfAbsent(text, new Waiting(key, each.heldFor().toNanos()));
                }
              }
            });
      }
    }
    return waiting;
  }

  /** Returns why a signal did not find a request on a key that reads the same; null if unknown. */
  private static @Nullable String difference(
      Object signalled, Object waiting, Set<Class<?>> heard) {
    Class<?> type = signalled.getClass();
    Class<?> other = waiting.getClass();
    if (signalled.equals(waiting)) {
      return signalled.hashCode() == waiting.hashCode()
          ? "the key has changed since"
          : "the two are equal, and their hash codes are not, of " + type.getName();
    }
    if (type != other) {
      return isOfJdk(type) && isOfJdk(other)
          ? "you signal a " + type.getName() + " and hold on a " + other.getName()
          : null;
    }
    if (type.isArray()) {
      return "an array is equal to itself only";
    }
    return definesEquals(type) || heard.contains(type)
        ? null
        : type.getName() + " does not define equals and hashCode";
  }

  private static boolean isOfJdk(Class<?> type) {
    return type.getName().startsWith("java.");
  }

  private static boolean definesEquals(Class<?> type) {
    try {
      return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private void findWrongKeys(
      Observation first, Observation now, Function<Object, String> name, List<Finding> findings) {
    Map<Object, Last> signalled = lastByKey(now.nanos());
    Map<Object, Integer> unheard = unheard();
    int count = unheard.values().stream().mapToInt(Integer::intValue).sum();
    Map<Object, Long> missed = new LinkedHashMap<>(now.missed());
    missed.replaceAll((key, misses) -> misses - first.missed().getOrDefault(key, 0L));
    missed.values().removeIf(misses -> misses < ENOUGH);
    missed.keySet().removeIf(signalled::containsKey);
    if (missed.isEmpty() || count < ENOUGH || count * 100 < size() * NEARLY_ALL) {
      return;
    }
    findings.add(
        new Finding(
            "unheard-signals",
            now.reading().name(),
            null,
            "Signals are for keys on which nobody waits",
            String.format(
                Locale.ROOT,
                "%,d of %,d signals of the last %d s found nobody, as for %s; %,d requests missed one,"
                    + " as on %s.",
                count,
                size(),
                seconds(),
                names(unheard, name),
                Observation.total(missed),
                names(missed, name)),
            "Compare the key that you signal with the key on which you hold.",
            "use/console.md#findings"));
  }

  /** Names the first keys. */
  private static String names(Map<Object, ?> keys, Function<Object, String> name) {
    return keys.keySet().stream()
        .limit(MOST_NAMED)
        .map(name)
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
