package dev.purgatory.races;

import dev.purgatory.timer.Timer;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.Outcome;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.randomness.Randomness;

/**
 * Runs programs under Fray, each many times: the races of jcstress, those that the essays of the
 * core name, and random calls. The JVM has to be one of {@link FrayJvm}. A program throws an
 * exception if something is wrong.
 *
 * <p>A schedule is determined by a seed, and by the id of its first thread, because threads choose
 * their stripes by their ids.
 */
final class Schedules {
  /** Of Fray's time, which passes at once when all threads wait. */
  static final int PATIENCE_MINUTES = 10;

  private static final long NANOS_PER_STEP = 1_000;

  /** 2^64 divided by the golden ratio. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private static final PrintStream OUT = System.out;
  private static final Logger LOG = Logger.getLogger("dev.purgatory");

  /** The seed of the schedule that runs. */
  private static long seed;

  /** The id of the last thread before that schedule. */
  private static long thread;

  /** A program for Fray. */
  @FunctionalInterface
  interface Program {
    void run() throws Exception;
  }

  /** What one thread of a program does. */
  @FunctionalInterface
  interface Call {
    @Nullable Object make() throws Exception;
  }

  private Schedules() {}

  /**
   * Runs all programs, or replays one schedule.
   *
   * @param args how many schedules of each program, which programs (a regular expression), and of
   *     the first schedule: the seed, the id of the thread, and the number of steps before
   */
  public static void main(String... args) throws Exception {
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    LOG.setLevel(Level.OFF);
    int schedules = Integer.parseInt(args[0]);
    Pattern chosen = Pattern.compile(args[1]);
    long first = Long.parseLong(args[2]);
    thread = Long.parseLong(args[3]);
    int steps = Integer.parseInt(args[4]);
    for (Map.Entry<String, Program> program : programs().entrySet()) {
      if (chosen.matcher(program.getKey()).matches()) {
        run(program.getKey(), program.getValue(), schedules, first, steps);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static void run(String name, Program program, int schedules, long first, int steps)
      throws Exception {
    long begin = System.nanoTime();
    program.run(); // initializes the classes, so that a replay takes the same steps
    seed = first - 1;
    Configuration configuration = configuration(program, schedules, steps);
    Throwable failure = new TestRunner(configuration).run();
    if (failure != null) {
      OUT.println(name + "\tfails in schedule " + (configuration.getCurrentIteration() + 1));
      int before = ((Preemptions) configuration.getScheduler()).before();
      OUT.println("Replay it: -Dfray.replay=" + name + ":" + seed + ":" + thread + ":" + before);
      rootCause(failure).printStackTrace(OUT);
      OUT.flush();
      Runtime.getRuntime().halt(1); // threads may be left
    }
    OUT.println(name + "\t" + (System.nanoTime() - begin) / 1_000_000 + " ms");
  }

  private static Throwable rootCause(Throwable failure) {
    return failure.getCause() == null ? failure : rootCause(failure.getCause());
  }

  private static Configuration configuration(Program program, int schedules, int steps) {
    LambdaExecutor executor =
        new LambdaExecutor(
            () -> {
              try {
                program.run();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              return Unit.INSTANCE;
            });
    return new Configuration(
        new ExecutionInfo(
            executor,
            /* ignoreUnhandledExceptions= */ false,
            /* interleaveMemoryOps= */ false,
            /* maxScheduledStep= */ -1),
        /* report= */ Path.of("target/fray/report"),
        /* iter= */ schedules,
        /* timeout= */ Integer.MAX_VALUE,
        /* scheduler= */ new Preemptions(nextRandomness(), steps),
        /* randomnessProvider= */ Schedules::nextRandomness,
        /* fullSchedule= */ false,
        /* exploreMode= */ false,
        /* noExitWhenBugFound= */ true,
        /* isReplay= */ false,
        /* noFray= */ false,
        /* dummyRun= */ false,
        NetworkDelegateType.NONE,
        SystemTimeDelegateType.MOCK,
        /* virtualTimeDelta= */ NANOS_PER_STEP,
        /* ignoreTimedBlock= */ false,
        /* sleepAsYield= */ false,
        /* resetClassLoader= */ false,
        /* redirectStdout= */ false,
        /* abortThreadExecutionAfterMainExit= */ false,
        /* resolveRacingOperationStackTraceHash= */ false,
        /* timelineCoverageType= */ null);
  }

  /** Called before each schedule. */
  private static Randomness nextRandomness() {
    long last = thread;
    do {
      thread = new Thread().getId();
    } while (thread < last);
    seed++;
    return new ControlledRandom(new ArrayList<>(), new ArrayList<>(), random(1));
  }

  /** Returns a source of random numbers for the program that runs. */
  static Random random() {
    return random(2);
  }

  /** Returns a source of random numbers: those of consecutive seeds do not resemble each other. */
  private static Random random(int use) {
    return new Random(((seed * GOLDEN) ^ use) * GOLDEN);
  }

  private static Map<String, Program> programs() {
    Map<String, Program> programs = new LinkedHashMap<>();
    for (Class<?> race : RacesTest.races()) {
      programs.put(
          race.getEnclosingClass().getSimpleName() + '.' + race.getSimpleName(), race(race));
    }
    for (Class<?> of : List.of(EssayPrograms.class, AdapterPrograms.class, RandomCalls.class)) {
      for (Method method : of.getDeclaredMethods()) {
        if (!Modifier.isPrivate(method.getModifiers()) && method.getParameterCount() == 0) {
          programs.put(method.getName(), () -> method.invoke(null));
        }
      }
    }
    return programs;
  }

  /** Returns a race of jcstress as a program. */
  private static Program race(Class<?> race) {
    JCStressMeta meta = race.getAnnotation(JCStressMeta.class);
    List<String> permitted =
        Stream.of((meta == null ? race : meta.value()).getAnnotationsByType(Outcome.class))
            .flatMap(outcome -> Stream.of(outcome.id()))
            .toList();
    List<Method> actors = new ArrayList<>();
    List<Method> arbiters = new ArrayList<>();
    for (Method method : race.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Actor.class)) {
        actors.add(method);
      } else if (method.isAnnotationPresent(Arbiter.class)) {
        arbiters.add(method);
      }
    }
    Class<?> type =
        Stream.of(actors, arbiters)
            .flatMap(List::stream)
            .flatMap(method -> Stream.of(method.getParameterTypes()))
            .findFirst()
            .orElseThrow();
    return () -> {
      Object state = race.getConstructor().newInstance();
      Object result = type.getConstructor().newInstance();
      together(actors.stream().map(actor -> call(actor, state, result)).toArray(Call[]::new));
      for (Method arbiter : arbiters) {
        call(arbiter, state, result).make();
      }
      require(result.toString(), permitted.toArray());
    };
  }

  private static Call call(Method method, Object state, Object result) {
    return method.getParameterCount() == 0
        ? () -> method.invoke(state)
        : () -> method.invoke(state, result);
  }

  /**
   * Makes calls at the same time, each on a thread of its own, and waits for them.
   *
   * @return their results, in their order, but for null
   */
  static String together(Call... calls) throws InterruptedException {
    @Nullable Object[] results = new Object[calls.length];
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < calls.length; i++) {
      int place = i;
      threads.add(
          new Thread(
              () -> {
                try {
                  results[place] = calls[place].make();
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread each : threads) {
      each.join();
    }
    return Stream.of(results)
        .filter(Objects::nonNull)
        .map(Object::toString)
        .collect(Collectors.joining(" "));
  }

  /** Returns a call without a result. */
  static Call doing(Program action) {
    return () -> {
      action.run();
      return null;
    };
  }

  /** Fray replaces calls of the clock, but not the method reference that timers have by default. */
  static Timer.Builder inFraysTime() {
    return Timer.builder().ticker(() -> System.nanoTime());
  }

  /** Does something that is no part of the schedule: no other thread has begun. */
  static void setUp(Runnable preparation) {
    org.pastalab.fray.runtime.Runtime.onSkipPrimitive("set-up");
    try {
      preparation.run();
    } finally {
      org.pastalab.fray.runtime.Runtime.onSkipPrimitiveDone("set-up");
    }
  }

  /** Requires that a result is one of those that are permitted. */
  static void require(@Nullable Object result, Object... permitted) {
    List<String> texts = Stream.of(permitted).map(String::valueOf).toList();
    if (!texts.contains(String.valueOf(result))) {
      throw new AssertionError(result + " is not one of " + texts);
    }
  }
}
