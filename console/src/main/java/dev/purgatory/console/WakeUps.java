package dev.purgatory.console;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the threads of this JVM spend the time between a signal and an answer, by samples of their
 * stacks. Not thread-safe.
 */
final class WakeUps {

  /*
   * A request has no clock for its condition and its answer, since that would cost more than most conditions
   * do. So this looks from outside: at each sample it asks for the stacks of all threads, and the innermost
   * frame of the core that calls code of the user, or walks a watch list, tells what the thread is doing. A
   * place that takes a tenth of a thread's time is in about a tenth of the samples.
   *
   * A thread that runs there may be in a fast condition that is called often. One that waits there is held
   * up, which is what the finding is about. A thread that reads from a socket counts as running, as for the
   * JVM. An answer that waits on an executor of the user delays nobody, unless the executor does not keep up,
   * for which there is another finding. Virtual threads are not seen. Stacks stop all threads for a moment: so sampling rests for 99 times
   * as long as it took.
   *
   * A condition that signals shows as a walk within a condition. It must not, so few samples are proof.
   *
   * A stack has no name of a purgatory. So this is of the program, and not of one of its purgatories.
   */

  private static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int REST = 99;
  private static final int MOST_FRAMES = 256;
  private static final int MOST_SITES = 10;

  /** How many samples must show a thread that waits at a site, and which share of all. */
  private static final int ENOUGH = 5;

  private static final int SHARE = 10;
  private static final int ENOUGH_SIGNALS = 2;

  /** What the compiler calls a lambda in a method. */
  private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.*)\\$\\d+");

  private static final String CALLER = "dev.purgatory.Answers";
  private static final String WALKER = "dev.purgatory.Core";
  private static final Map<String, Place> CALLS =
      Map.of(
          "isReady", Place.CONDITION,
          "give", Place.ANSWER,
          "execute", Place.EXECUTOR,
          "observe", Place.LISTENER,
          "held", Place.LISTENER,
          "signalled", Place.LISTENER);
  private static final Set<String> CORE =
      Set.of(
          "dev.purgatory",
          "dev.purgatory.base",
          "dev.purgatory.session",
          "dev.purgatory.threads",
          "dev.purgatory.throttle",
          "dev.purgatory.timer",
          "dev.purgatory.watch",
          "dev.purgatory.wheel");

  /** The activity of a thread. */
  enum Place {
    /** Walks the watch list of a key. */
    WALK,
    /** Is in a condition. */
    CONDITION,
    /** Is in an answer or what depends on it. */
    ANSWER,
    /** Gives an answer to an executor. */
    EXECUTOR,
    /** Is in a listener. */
    LISTENER;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The code that a thread was at: the name of a method with its class. */
  record Site(Place place, String code) {}

  /**
   * How often a site was seen.
   *
   * @param running in how many threads of all samples
   * @param waiting in how many threads that were blocked or waited
   * @param samples in how many samples this delayed others than the answer itself
   * @param signals in how many threads a condition called a signal
   * @param line the file and line of the last one
   * @param on what the last one waited for; null if the JVM does not know
   */
  record Seen(
      int running, int waiting, int samples, int signals, String line, @Nullable String on) {}

  /**
   * The activity of a thread in one sample.
   *
   * @param delays it waits, and others than the answer itself wait for it
   * @param signals it is in a condition that called a signal
   */
  private record Stack(
      Site site,
      String line,
      boolean waits,
      boolean delays,
      boolean signals,
      @Nullable String on) {}

  private record Sample(long nanos, List<Stack> stacks) {}

  private final Deque<Sample> recent = new ArrayDeque<>();
  private long restUntil;

  /** Takes a sample, unless the last one took so long that it is too early. */
  void sample(long nanos) {
    if (recent.isEmpty() || nanos - restUntil >= 0) {
      long start = System.nanoTime();
      take(nanos);
      restUntil = nanos + REST * (System.nanoTime() - start);
    }
  }

  /** Takes a sample, and forgets old ones. */
  void take(long nanos) {
    while (!recent.isEmpty() && nanos - recent.getFirst().nanos >= RECENT_NANOS) {
      recent.removeFirst();
    }
    List<Stack> stacks = new ArrayList<>();
    for (ThreadInfo thread :
        ManagementFactory.getThreadMXBean().dumpAllThreads(false, false, MOST_FRAMES)) {
      Stack stack = stack(thread);
      if (stack != null) {
        stacks.add(stack);
      }
    }
    recent.addLast(new Sample(nanos, stacks));
  }

  /** Returns the innermost call of the core; null if it is not between signal and answer. */
  private static @Nullable Stack stack(ThreadInfo thread) {
    StackTraceElement[] frames = thread.getStackTrace();
    for (int i = 0; i < frames.length; i++) {
      Place place = place(frames[i]);
      if (place != null) {
        boolean signals = place == Place.WALK && isInCondition(frames, i);
        StackTraceElement code = signals ? caller(frames, i) : called(frames, i);
        boolean waits = thread.getThreadState() != Thread.State.RUNNABLE;
        return new Stack(
            new Site(
                signals ? Place.CONDITION : place,
                code.getClassName() + '.' + LAMBDA.matcher(code.getMethodName()).replaceAll("$1")),
            line(code),
            waits,
            waits && !(place == Place.ANSWER && isOnExecutor(frames, i)),
            signals,
            waits ? obstacle(thread) : null);
      }
    }
    return null;
  }

  private static @Nullable Place place(StackTraceElement frame) {
    return frame.getClassName().equals(WALKER) && frame.getMethodName().startsWith("signal")
        ? Place.WALK
        : frame.getClassName().equals(CALLER) ? CALLS.get(frame.getMethodName()) : null;
  }

  private static boolean isInCondition(StackTraceElement[] frames, int call) {
    return Stream.of(frames).skip(call).anyMatch(each -> place(each) == Place.CONDITION);
  }

  private static String line(StackTraceElement code) {
    int line = code.getLineNumber();
    return line < 0 ? "native code" : code.getFileName() + ":" + line;
  }

  /** Returns whether an executor of the user gives an answer: its thread may block. */
  private static boolean isOnExecutor(StackTraceElement[] frames, int answer) {
    int task = answer;
    while (task + 1 < frames.length && frames[task + 1].getClassName().equals(CALLER)) {
      task++;
    }
    return frames[task].getMethodName().startsWith("lambda$answerOn$")
        && Stream.of(frames).skip(task + 1).noneMatch(WakeUps::isCore);
  }

  private static @Nullable String obstacle(ThreadInfo thread) {
    if (thread.getLockName() == null) {
      return null;
    }
    String owner = thread.getLockOwnerName();
    return thread.getLockName() + (owner == null ? "" : ", which " + owner + " has");
  }

  private static boolean isCore(StackTraceElement frame) {
    String name = frame.getClassName();
    return CORE.contains(name.substring(0, Math.max(0, name.lastIndexOf('.'))))
        && !name.contains("$$Lambda");
  }

  /** Tells code with a source from code of the core and the JDK, and from classes of lambdas. */
  private static boolean isOfUser(StackTraceElement frame) {
    String name = frame.getClassName();
    return !isCore(frame)
        && !name.startsWith("java.")
        && !name.startsWith("jdk.")
        && !name.contains("$$Lambda");
  }

  /** Returns the code of the user that the core called, or else where the thread is. */
  private static StackTraceElement called(StackTraceElement[] frames, int call) {
    for (int i = call - 1; i >= 0; i--) {
      if (isOfUser(frames[i])) {
        return frames[i];
      }
    }
    return frames[0];
  }

  /** Returns the code of the user that called the core, or else the call. */
  private static StackTraceElement caller(StackTraceElement[] frames, int call) {
    return Stream.of(frames).skip(call).filter(WakeUps::isOfUser).findFirst().orElse(frames[call]);
  }

  /** Returns the number of samples of the last minute. */
  int samples() {
    return recent.size();
  }

  /** Returns the sites that were seen in the last minute, the most frequent first. */
  Map<Site, Seen> seen() {
    Map<Site, Seen> all = new LinkedHashMap<>();
    for (Sample sample : recent) {
      Map<Site, Seen> once = new LinkedHashMap<>();
      for (Stack stack : sample.stacks) {
        int waits = stack.waits ? 1 : 0;
        once.merge(
            stack.site,
            new Seen(
                1 - waits,
                waits,
                stack.delays ? 1 : 0,
                stack.signals ? 1 : 0,
                stack.line,
                stack.on),
            WakeUps::sameSample);
      }
      once.forEach((site, seen) -> all.merge(site, seen, WakeUps::nextSample));
    }
    Map<Site, Seen> most = new LinkedHashMap<>();
    all.entrySet().stream()
        .sorted(
            Comparator.comparing(each -> -each.getValue().running() - each.getValue().waiting()))
        .limit(MOST_SITES)
        .forEach(each -> most.put(each.getKey(), each.getValue()));
    return most;
  }

  private static Seen sameSample(Seen one, Seen two) {
    return sum(one, two, Math.max(one.samples, two.samples));
  }

  private static Seen nextSample(Seen one, Seen two) {
    return sum(one, two, one.samples + two.samples);
  }

  private static Seen sum(Seen one, Seen two, int samples) {
    return new Seen(
        one.running + two.running,
        one.waiting + two.waiting,
        samples,
        one.signals + two.signals,
        two.line,
        two.on == null ? one.on : two.on);
  }

  /** Returns the conditions that signal, and the code that waits while it should not. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    seen()
        .forEach(
            (site, seen) -> {
              if (seen.signals >= ENOUGH_SIGNALS) {
                findings.add(signals(site, seen));
              }
              if (seen.samples >= ENOUGH && seen.samples * SHARE >= recent.size()) {
                findings.add(waits(site, seen));
              }
            });
    return findings;
  }

  private Finding signals(Site site, Seen seen) {
    return new Finding(
        "signalling-condition",
        null,
        null,
        "A condition calls signal: " + site.code,
        String.format(
            Locale.ROOT, "It did in %,d of %,d samples of stacks.", seen.signals, recent.size()),
        "Look at " + seen.line + ". Signal after the change instead, outside of conditions.",
        "use/signals.md");
  }

  private Finding waits(Site site, Seen seen) {
    boolean isCondition = site.place == Place.CONDITION;
    return new Finding(
        "slow-" + site.place,
        null,
        null,
        (isCondition || site.place == Place.WALK ? "A " : "An ")
            + site.place
            + " waits: "
            + site.code,
        String.format(
            Locale.ROOT,
            "In %,d of %,d samples of stacks, a thread waited there%s.",
            seen.samples,
            recent.size(),
            seen.on == null ? "" : " for " + seen.on),
        "Look at "
            + seen.line
            + (isCondition
                ? ". All requests behind it wait: use untilAsync, or signal without the lock."
                : ". The thread that signals waits for it: use an executor for the answers."),
        isCondition
            ? "use/hold-until-a-condition.md#a-condition-that-takes-time"
            : "use/shutdown.md#which-thread-answers");
  }
}
