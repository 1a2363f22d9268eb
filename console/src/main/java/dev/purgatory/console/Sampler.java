package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.purgatory.Diagnostics;
import dev.purgatory.Diagnostics.Checks;
import dev.purgatory.HeldRequest;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import dev.purgatory.base.LastResort;
import dev.purgatory.console.PurgatoryReading.Counts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import javax.management.MBeanServerConnection;
import org.jspecify.annotations.Nullable;

/** Observes purgatories when somebody asks, and reports the samples as JSON. Thread-safe. */
final class Sampler {

  /*
   * All pages share the samples: the first that asks after a second takes the next one, with the lock held, and the
   * others wait for it. The lock is this class's own; with it, keys and requests are turned into text, which is code
   * of the user. If that blocks, pages wait, and no request does. If it fails or is slow, a sample comes without it.
   * Other threads read other JVMs. A sample waits for them for a limited time, and comes without JVMs that do not
   * answer.
   *
   * While no page asks, the console calls `watch` now and then, which looks for findings only. Either way, a finding
   * that appears is logged. An ended request stays reachable until the next sample, and without a page not at all.
   * Stories of requests that a page has opened stay, the last ones, with their reasons, until the last page is closed.
   */

  private static final LastResort NOT_WATCHED =
      LastResort.handler("A look for findings failed; the next one follows");
  private static final System.Logger LOG = System.getLogger(Sampler.class.getPackageName());

  /** The time between looks without a page. A look takes at most a hundredth of all time. */
  private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int REST = 99;

  /** A finding that was gone for so long is logged again when it comes back. */
  private static final long LOGGED_NANOS = TimeUnit.MINUTES.toNanos(10);

  /**
   * The percentage of the period after which a page gets a new sample: pages do not wait exactly.
   */
  private static final int NEARLY_ALL = 95;

  /** How long a sample waits for other JVMs. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int MOST_REQUESTS = 20;
  private static final int MOST_STORIES = 20;
  private static final int MOST_UNHEARD = 5;

  private static final JSON JSON_WITH_NULLS = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);

  private final List<Purgatory<?>> purgatories;
  private final Registries registries;
  private final boolean showsKeys;
  private final LongSupplier clock;
  private final long periodNanos;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<OtherJvm> jvms = new ArrayList<>();
  private final Findings findings;
  private List<Findings.Look> looks = List.of();

  /** When each finding was seen last, by its line without the evidence. */
  private final Map<List<Object>, Long> logged = new HashMap<>();

  /** A story that a page has opened, with the diagnostics that it observes. */
  private record Opened(Diagnostics diagnostics, Story story) {
    void close() {
      diagnostics.removeObserver(story);
    }
  }

  /** By the name of the purgatory and the id; the one for which nobody has asked longest first. */
  private final Map<List<Object>, Opened> stories =
      new LinkedHashMap<>(MOST_STORIES, 0.75f, /* accessOrder= */ true);

  private final Rings rings = new Rings();
  private byte @Nullable [] latest;
  private long nanos;

  /**
   * Creates a sampler.
   *
   * @param purgatories those of this JVM
   * @param registries sessions and throttles of this JVM
   * @param jvms connections to others, by their titles
   * @param showsKeys whether keys and requests are shown
   * @param clock the time, in nanoseconds
   * @param periodMillis the time between samples
   */
  Sampler(
      List<Purgatory<?>> purgatories,
      Registries registries,
      Map<String, Callable<? extends MBeanServerConnection>> jvms,
      boolean showsKeys,
      LongSupplier clock,
      int periodMillis) {
    this.purgatories = List.copyOf(purgatories);
    this.registries = registries;
    jvms.forEach((title, connection) -> this.jvms.add(new OtherJvm(title, connection)));
    this.showsKeys = showsKeys;
    this.clock = clock;
    periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMillis) * NEARLY_ALL / 100;
    findings = new Findings(this.purgatories, clock);
  }

  /** Returns a sample that is less than a period old, as JSON in UTF-8. */
  byte[] sample() throws IOException, InterruptedException {
    lock.lock();
    try {
      long now = clock.getAsLong();
      byte[] known = latest;
      if (known != null && now - nanos < periodNanos) {
        return known;
      }
      nanos = now;
      jvms.forEach(OtherJvm::begin);
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      List<Map<String, Object>> programs = new ArrayList<>();
      if (!purgatories.isEmpty() || !registries.isEmpty()) {
        Texts texts = new Texts();
        List<Finding> found = look(now, texts);
        programs.add(
            Map.of(
                "title",
                "this program",
                "purgatories",
                looks.stream().map(each -> describe(each, texts)).toList(),
                "timers",
                rings.sample(purgatories, now),
                "registries",
                registries.sample(),
                "findings",
                found,
                "wakeUps",
                wakeUps()));
      }
      for (OtherJvm each : jvms) {
        programs.add(each.end(deadline));
      }
      byte[] taken = JSON_WITH_NULLS.asBytes(Map.of("showsKeys", showsKeys, "programs", programs));
      latest = taken;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Looks for findings, unless a page has just done so. Does not throw: the next look follows.
   *
   * @return the time until the next look, in nanoseconds
   */
  long watch() {
    try {
      return tryWatch();
    } catch (Throwable e) {
      NOT_WATCHED.accept(e);
      return WATCH_NANOS;
    }
  }

  private long tryWatch() {
    lock.lock();
    try {
      long now = clock.getAsLong();
      if (latest != null && now - nanos < WATCH_NANOS) {
        return WATCH_NANOS;
      }
      long start = System.nanoTime();
      look(now, new Texts());
      forgetRequests();
      return Math.max(WATCH_NANOS, REST * (System.nanoTime() - start));
    } finally {
      lock.unlock();
    }
  }

  /** Looks at all purgatories, and logs the findings that were not there before. */
  private List<Finding> look(long now, Texts texts) {
    looks = findings.look(now, texts, key -> name(key, texts));
    List<Finding> found = new ArrayList<>();
    looks.forEach(each -> found.addAll(each.findings()));
    found.addAll(findings.wakeUps().findings());
    logged.values().removeIf(seen -> now - seen > LOGGED_NANOS);
    for (Finding each : found) {
      if (logged.put(Arrays.asList(each.purgatory(), each.kind(), each.title()), now) == null) {
        LOG.log(System.Logger.Level.WARNING, each.toString());
      }
    }
    return found;
  }

  private void forgetRequests() {
    looks = List.of();
    findings.dropRequests();
  }

  /**
   * Returns the story of a request as JSON in UTF-8, and observes the request from now on.
   *
   * @param name the name of its purgatory
   * @param id as in the sample
   * @return null if it is neither observed nor held in the latest sample, or not to be shown
   */
  byte @Nullable [] story(String name, long id) throws IOException {
    lock.lock();
    try {
      List<Object> key = List.of(name, id);
      Opened opened = stories.get(key);
      if (opened == null) {
        opened = showsKeys ? open(name, id) : null;
        if (opened == null) {
          return null;
        }
        stories.put(key, opened);
        if (stories.size() > MOST_STORIES) {
          requireNonNull(stories.remove(stories.keySet().iterator().next())).close();
        }
      }
      return JSON_WITH_NULLS.asBytes(describe(opened.story));
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Opened open(String name, long id) {
    for (Findings.Look look : looks) {
      Observation last = look.now();
      Diagnostics diagnostics = look.purgatory().inspect().diagnostics();
      if (last != null && diagnostics != null && look.purgatory().name().equals(name)) {
        for (HeldRequest<?> each : last.requests()) {
          if (id(each) == id) {
            return open(diagnostics, new Story(each, last.walk().nanos(), clock));
          }
        }
      }
    }
    return null;
  }

  /** Begins a story, unless its request has ended. */
  private static @Nullable Opened open(Diagnostics diagnostics, Story story) {
    Opened opened = new Opened(diagnostics, story);
    diagnostics.addObserver(story);
    story.begin(diagnostics);
    if (story.isOver()) {
      opened.close();
      return null;
    }
    return opened;
  }

  private static int id(HeldRequest<?> request) {
    return System.identityHashCode(request.operation());
  }

  private static Map<String, Object> describe(Story story) {
    Texts texts = new Texts();
    List<Map<String, Object>> events = new ArrayList<>();
    for (Story.Event each : story.events()) {
      Map<String, Object> event = new LinkedHashMap<>();
      Duration left = each.left();
      event.put("kind", each.kind());
      event.put("atMillis", TimeUnit.NANOSECONDS.toMillis(each.atNanos()));
      event.put("thread", each.thread());
      event.put("reason", each.reason() == null ? null : texts.of(each.reason()));
      event.put("leftMillis", left == null ? null : left.toMillis());
      event.put("outcome", each.outcome());
      event.put("error", each.error() == null ? null : texts.of(each.error()));
      events.add(event);
    }
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("outcome", story.outcome());
    told.put("leftOut", story.leftOut());
    told.put("events", events);
    return told;
  }

  /** Forgets samples and stories, after the last page. */
  void forget() {
    lock.lock();
    try {
      latest = null;
      jvms.forEach(OtherJvm::forget);
      forgetRequests();
      stories.values().forEach(Opened::close);
      stories.clear();
      rings.forget();
    } finally {
      lock.unlock();
    }
  }

  /** Observes nothing any longer. */
  void close() {
    forget();
    findings.forget();
  }

  private Map<String, Object> wakeUps() {
    List<Map<String, Object>> sites = new ArrayList<>();
    WakeUps wakeUps = findings.wakeUps();
    wakeUps
        .seen()
        .forEach(
            (site, seen) ->
                sites.add(
                    Map.of(
                        "place", site.place().toString(),
                        "code", site.code(),
                        "line", seen.line(),
                        "running", seen.running(),
                        "waiting", seen.waiting())));
    return Map.of("samples", wakeUps.samples(), "sites", sites);
  }

  static Map<String, Object> numbers(
      PurgatoryReading reading, @Nullable Counts earlier, double seconds) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("name", reading.name());
    numbers.put("pending", reading.pending());
    numbers.put("oldestMillis", reading.oldestMillis());
    numbers.put("nextDueMillis", reading.nextDueMillis());
    numbers.put("lateMillis", reading.lateMillis());
    Counts counts = reading.counts();
    if (counts != null) {
      numbers.put("total", counts);
      if (earlier != null) {
        numbers.put("perSecond", counts.perSecondSince(earlier, seconds));
      }
    }
    return numbers;
  }

  /** Describes a purgatory; only with its numbers if methods of its keys threw. */
  private Map<String, Object> describe(Findings.Look look, Texts texts) {
    Purgatory<?> purgatory = look.purgatory();
    Observation last = look.last();
    Observation now = look.now();
    SignalLog log = look.signals();
    Diagnostics diagnostics = purgatory.inspect().diagnostics();
    if (now == null) {
      return numbers(PurgatoryReading.of(purgatory, null), null, 1);
    }
    double seconds = last == null ? 1 : (now.nanos() - last.nanos()) / 1e9;
    Map<String, Object> seen =
        numbers(now.reading(), last == null ? null : last.reading().counts(), seconds);
    boolean diagnosed = diagnostics != null;
    seen.put("diagnosed", diagnosed);
    seen.put("keyCount", now.walk().keys());
    seen.put("signals", signals(log, texts));
    Duration limit = now.usualLimit();
    seen.put("limitMillis", limit == null ? null : limit.toMillis());
    if (diagnosed && last != null) {
      Map<String, Long> ends = new LinkedHashMap<>();
      Observation.since(last.heldNanos(), now.heldNanos())
          .forEach((bucket, count) -> ends.put(Double.toString(bucket / 1e6), count));
      seen.put("ends", ends);
    }
    seen.put("listed", now.walk().requests() != null);
    if (showsKeys) {
      seen.put("keys", keys(now, log, texts));
      seen.put("requests", requests(now, diagnostics, texts));
    }
    return seen;
  }

  private Map<String, Object> signals(SignalLog log, Texts texts) {
    Map<Object, Integer> unheard = log.unheard();
    return Map.of(
        "seconds",
        log.seconds(),
        "observed",
        log.size(),
        "unheard",
        unheard.values().stream().mapToInt(Integer::intValue).sum(),
        "keys",
        showsKeys
            ? unheard.keySet().stream().limit(MOST_UNHEARD).map(texts::of).toList()
            : List.of());
  }

  private List<Map<String, Object>> keys(Observation now, SignalLog log, Texts texts) {
    Map<Object, SignalLog.Last> signalled = log.lastByKey(now.nanos());
    Map<Object, Duration> oldest = now.oldestByKey();
    Map<Object, Checks> checked = now.lastChecks();
    List<Map<String, Object>> keys = new ArrayList<>();
    now.walk()
        .waiters()
        .forEach(
            (key, waiters) -> {
              Map<String, Object> row = new LinkedHashMap<>();
              Duration age = oldest.get(key);
              row.put("key", texts.of(key));
              row.put("waiters", waiters);
              row.put("oldestMillis", age == null ? null : age.toMillis());
              Checks last = checked.get(key);
              row.put("checkedMillis", last == null ? null : last.sinceLast().toMillis());
              row.put("checks", last == null ? null : last.count());
              row.put(
                  "reason",
                  last == null || last.lastReason() == null ? null : texts.of(last.lastReason()));
              SignalLog.Last signal = signalled.get(key);
              row.put("signalledMillis", signal == null ? null : signal.nanosAgo() / 1_000_000);
              row.put("completed", signal == null ? null : signal.completed());
              row.put("missed", now.missed().getOrDefault(key, 0L));
              keys.add(row);
            });
    return keys;
  }

  private static List<Map<String, Object>> requests(
      Observation now, @Nullable Diagnostics diagnostics, Texts texts) {
    List<Map<String, Object>> requests = new ArrayList<>();
    for (HeldRequest<?> each :
        now.requests().subList(0, Math.min(MOST_REQUESTS, now.requests().size()))) {
      Map<String, Object> row = new LinkedHashMap<>();
      Duration left = each.timeLeft();
      row.put("id", id(each));
      row.put("request", texts.of(each.operation()));
      row.put("keys", each.keys().stream().limit(MOST_REQUESTS).map(texts::of).toList());
      row.put("scopes", each.scopes().stream().limit(MOST_REQUESTS).map(texts::of).toList());
      row.put("tag", each.tag() == null ? null : texts.of(each.tag()));
      row.put("heldMillis", each.heldFor().toMillis());
      row.put("leftMillis", left == null ? null : left.toMillis());
      row.put("why", diagnostics == null ? null : texts.why(diagnostics, each.operation()));
      requests.add(row);
    }
    return requests;
  }

  private String name(Object key, Texts texts) {
    return showsKeys
        ? texts.of(key)
        : (key instanceof Scope ? "one owner" : "a key") + ", which is hidden";
  }
}
