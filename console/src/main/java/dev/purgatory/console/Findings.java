package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Purgatory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is probably wrong with a purgatory of this program, as the page of a {@link Console}
 * does: for a log, a health check or a page of your own. Thread-safe. It does nothing unless it is
 * asked.
 *
 * <pre>{@code
 * Findings findings = new Findings(polls);
 * findings.find(String::valueOf).forEach(each -> log.warn(each.title() + ' ' + each.evidence()));
 * }</pre>
 */
public final class Findings {

  /*
   * The numbers of earlier calls are kept, at most one a second, for a minute and the one before that. Keys of
   * missed signals are among them, which the diagnostics keep anyway. The recorder keeps keys of signals. Other keys
   * and requests are not kept.
   */

  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Purgatory<?> purgatory;
  private final SignalRecorder signals;
  private final LongSupplier clock;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock. */
  private final Deque<Observation> recent = new ArrayDeque<>();

  /**
   * Watches a purgatory.
   *
   * @param purgatory without {@linkplain dev.purgatory.PurgatoryBuilder#diagnostics diagnostics},
   *     few things are found
   */
  public Findings(Purgatory<?> purgatory) {
    this(purgatory, System::nanoTime);
  }

  Findings(Purgatory<?> purgatory, LongSupplier clock) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
    this.signals = SignalRecorder.of(purgatory.inspect().diagnostics());
    this.clock = clock;
  }

  /**
   * Looks at what has happened since an earlier call, a minute ago or more, or since the purgatory
   * began if there was none. What needs two looks, such as a limit that stays full, is found by a
   * call that comes a second or more after another one. Each call visits all entries of the
   * purgatory. What a page finds in samples of stacks is not among it.
   *
   * <p>From the first call on, the next signals after each call are observed, at most 1,000. Their
   * keys stay reachable until later calls.
   *
   * @param name returns what a key is called in the findings, or a {@link dev.purgatory.Scope}
   * @return the findings; empty if nothing seems to be wrong
   */
  public List<Finding> find(Function<Object, String> name) {
    requireNonNull(name, "name");
    long nanos = clock.getAsLong();
    Observation now = Observation.of(purgatory, null, nanos);
    SignalLog log = signals.take(nanos);
    Observation before;
    Observation first;
    Observation last;
    lock.lock();
    try {
      before = Sampler.base(recent, nanos);
      first = recent.peekFirst();
      last = lastBefore(nanos - APART_NANOS);
      Observation latest = recent.peekLast();
      if (latest == null || latest.nanos() - (nanos - APART_NANOS) <= 0) {
        recent.addLast(withoutKeys(now));
      }
    } finally {
      lock.unlock();
    }
    List<Finding> findings = Finding.of(before, last, now, name);
    findings.addAll(log.findings(first, last, now, new Texts(), name));
    return List.copyOf(findings);
  }

  /** Returns the youngest observation that is not younger. */
  private @Nullable Observation lastBefore(long nanos) {
    Observation last = null;
    for (Observation each : recent) {
      if (each.nanos() - nanos <= 0) {
        last = each;
      }
    }
    return last;
  }

  private static Observation withoutKeys(Observation all) {
    return new Observation(
        all.nanos(),
        all.reading(),
        new Observation.Walk(0, 0, null, 0, Map.of(), null, List.of()),
        all.missed(),
        all.checks(),
        all.lateNanos(),
        all.heldNanos(),
        all.limits());
  }
}
