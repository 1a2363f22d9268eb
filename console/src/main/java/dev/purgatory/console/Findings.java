package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Purgatory;
import dev.purgatory.base.ForeignText;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is probably wrong with purgatories of this program: for a log, a health check or a
 * page of your own. The page of a {@link Console} shows the same. Thread-safe. It does nothing
 * unless it is asked.
 *
 * <pre>{@code
 * Findings findings = new Findings(polls, replies);
 * findings.find(String::valueOf).forEach(each -> log.warn(each.toString()));
 * }</pre>
 */
public final class Findings {

  /*
   * For each purgatory there are the observations of the last minute, at most one a second. One that is older is the
   * base of what "recently" means. Only the latest one has the requests and keys that it saw, and only until
   * `dropRequests`. Keys of missed signals are in all, which the diagnostics keep anyway. The recorder keeps keys of
   * signals.
   *
   * The lock is this class's own; with it, keys and requests are turned into text, which is code of the user. If that
   * blocks, others who look wait, and no request does.
   */

  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier clock;
  private final WakeUps wakeUps = new WakeUps();
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock. */
  private final List<Watched> watched = new ArrayList<>();

  /**
   * A purgatory as a look sees it.
   *
   * @param last the observation of the look before; null if there is none
   * @param now null if methods of its keys threw
   */
  record Look(
      Purgatory<?> purgatory,
      @Nullable Observation last,
      @Nullable Observation now,
      SignalLog signals,
      List<Finding> findings) {}

  /** A purgatory with its history. Guarded by the lock. */
  private static final class Watched {
    private final Purgatory<?> purgatory;
    private final SignalRecorder signals;
    private final Deque<Observation> recent = new ArrayDeque<>();
    private @Nullable Observation latest;

    Watched(Purgatory<?> purgatory) {
      this.purgatory = requireNonNull(purgatory, "purgatory");
      this.signals = SignalRecorder.of(purgatory.inspect().diagnostics());
    }

    Look look(long nanos, Texts texts, Function<Object, String> name) {
      SignalLog log = signals.take(nanos);
      Observation last = latest;
      try {
        Observation now = Observation.of(purgatory, last, nanos);
        Observation base = base(nanos);
        Observation before = lastBefore(nanos - APART_NANOS);
        List<Finding> findings = Finding.of(base, before, now, name);
        boolean isNewWalk = last == null || last.walk().restUntil() != now.walk().restUntil();
        findings.addAll(log.findings(recent.peekFirst(), isNewWalk, now, texts, name));
        latest = now;
        Observation youngest = recent.peekLast();
        if (youngest == null || nanos - youngest.nanos() >= APART_NANOS) {
          recent.addLast(now.withoutKeys());
        }
        return new Look(purgatory, last, now, log, findings);
      } catch (Throwable e) {
        return new Look(purgatory, last, null, log, List.of(unreadable(e)));
      }
    }

    private Finding unreadable(Throwable thrown) {
      return new Finding(
          "unreadable",
          purgatory.name(),
          null,
          "Its keys cannot be read",
          "This was thrown: " + ForeignText.of(thrown) + '.',
          "Mend hashCode and equals of its keys. Signals do not find such a key, either.",
          "use/console.md#findings");
    }

    /** Returns the youngest observation that is not recent, and forgets those before it. */
    private @Nullable Observation base(long nanos) {
      Observation base = null;
      while (!recent.isEmpty() && nanos - recent.getFirst().nanos() >= RECENT_NANOS) {
        base = recent.removeFirst();
      }
      if (base != null) {
        recent.addFirst(base);
      }
      return base;
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

    private void dropRequests() {
      latest = latest == null ? null : latest.withoutKeys();
    }
  }

  /**
   * Watches purgatories.
   *
   * @param purgatories without {@linkplain dev.purgatory.PurgatoryBuilder#diagnostics diagnostics},
   *     few things are found
   */
  public Findings(Purgatory<?>... purgatories) {
    this(List.of(purgatories), System::nanoTime);
  }

  Findings(List<Purgatory<?>> purgatories, LongSupplier clock) {
    purgatories.forEach(each -> watched.add(new Watched(each)));
    this.clock = clock;
  }

  /**
   * Looks at what has happened since an earlier call, a minute ago or more, or since the purgatory
   * began if there was none. What needs two looks, such as a limit that stays full, is found by a
   * call that comes a second or more after another one. Each call visits all entries of the
   * purgatories, and takes a sample of the stacks of all threads.
   *
   * <p>From the first call on, the next signals after each call are observed, at most 1,000. Their
   * keys stay reachable until later calls.
   *
   * @param name returns what a key is called in the findings, or a {@link dev.purgatory.Scope}
   * @return the findings; empty if nothing seems to be wrong
   */
  public List<Finding> find(Function<Object, String> name) {
    requireNonNull(name, "name");
    lock.lock();
    try {
      List<Finding> findings = new ArrayList<>();
      look(clock.getAsLong(), new Texts(), name).forEach(each -> findings.addAll(each.findings()));
      findings.addAll(wakeUps.findings());
      dropRequests();
      return List.copyOf(findings);
    } finally {
      lock.unlock();
    }
  }

  /** Looks at each purgatory and at the stacks, and keeps what it sees until the next look. */
  List<Look> look(long nanos, Texts texts, Function<Object, String> name) {
    lock.lock();
    try {
      wakeUps.sample(nanos);
      return watched.stream().map(each -> each.look(nanos, texts, name)).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the samples of stacks: only for the caller of {@code look}. */
  WakeUps wakeUps() {
    return wakeUps;
  }

  /** Forgets the requests and keys of the latest look. */
  void dropRequests() {
    lock.lock();
    try {
      watched.forEach(Watched::dropRequests);
    } finally {
      lock.unlock();
    }
  }

  /** Observes no more signals, until the next look. */
  void forget() {
    lock.lock();
    try {
      watched.forEach(each -> each.signals.forget());
    } finally {
      lock.unlock();
    }
  }
}
