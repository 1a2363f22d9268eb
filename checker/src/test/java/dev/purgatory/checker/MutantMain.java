package dev.purgatory.checker;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the stage that should catch a mutant. If it does, prints what caught it and exits with 1.
 */
final class MutantMain {
  /** The stage that runs random programs on one thread. */
  static final String SIMULATION = "simulation";

  /** The random programs of that stage. */
  static final int SEEDS = 3_000;

  private static final int RACES = 1_000;
  private static final int DUELS = 200_000;

  /** A stage is stalled if nothing ends within the time of some waits of a test. */
  private static final long STALLED_NANOS =
      9 * TimeUnit.SECONDS.toNanos(Integer.getInteger("patience.seconds", 5));

  /** The stages that are not test classes of the core. */
  static final Set<String> PROGRAMS = Set.of(SIMULATION, "race", "duel");

  private static final Logger LOG = Logger.getLogger("dev.purgatory");

  private static volatile long lastProgress = System.nanoTime();

  private MutantMain() {}

  /**
   * Runs one stage: one of those below, or a test class of the core. The second argument is the
   * number of random programs.
   */
  public static void main(String[] args) throws InterruptedException {
    LOG.setLevel(Level.OFF);
    Checker checker = new Checker(Fault.usual(), /* reduces= */ false);
    watch(args[0]);
    switch (args[0]) {
      case SIMULATION ->
          tell(SIMULATION, checker.simulate(0, Integer.parseInt(args[1]), done -> progress()));
      case "race" -> tell("race", checker.race(0, RACES, done -> progress()));
      case "duel" -> duel();
      default -> test(args[0]);
    }
    Runtime.getRuntime().halt(0); // a mistake may have left threads running
  }

  private static void progress() {
    lastProgress = System.nanoTime();
  }

  /** Counts a stage that stops making progress as a mistake that was caught. */
  private static void watch(String stage) {
    Thread watchdog =
        new Thread(
            () -> {
              while (System.nanoTime() - lastProgress < STALLED_NANOS) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
              }
              caught(stage, "makes no progress");
            });
    watchdog.setDaemon(true);
    watchdog.start();
  }

  private static void duel() throws InterruptedException {
    int undecided = new Duel(DUELS).run();
    if (undecided > 0) {
      caught("duel", undecided + " of " + DUELS + " operations without one winner");
    }
  }

  private static void tell(String stage, Optional<Failure> failure) {
    failure.ifPresent(
        found -> caught(stage, found.finding().invariant() + ", seed " + found.seed()));
  }

  private static void test(String name) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass("dev.purgatory." + name))
            .build();
    LauncherFactory.create().execute(request, new FirstFailure(name));
  }

  private record FirstFailure(String tests) implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      progress();
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        caught(tests, test.getDisplayName());
      }
    }
  }

  private static void caught(String stage, String details) {
    System.out.println(stage + "\t" + details);
    System.out.flush();
    Runtime.getRuntime().halt(1); // a mistake may have left threads running
  }
}
