package dev.purgatory.checker;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs what could catch a mutant, until it is caught; prints what has, and ends with 1 then. */
final class MutantMain {
  private static final int SEEDS = 4_000;
  private static final int RACES = 1_000;
  private static final int DUELS = 200_000;
  private static final Logger LOG = Logger.getLogger("dev.purgatory");
  private static final List<String> CORE_TESTS =
      List.of(
          "dev.purgatory.WatchListsTest",
          "dev.purgatory.timer.TimerTest",
          "dev.purgatory.PlainEventTest",
          "dev.purgatory.PromisesTest");

  private MutantMain() {}

  public static void main(String[] args) throws InterruptedException {
    LOG.setLevel(Level.OFF);
    Checker checker = new Checker(Fault.usual());
    tell("simulation", checker.simulate(0, SEEDS, done -> {}));
    tell("race", checker.race(0, RACES, done -> {}));
    int undecided = new Duel(DUELS).run();
    if (undecided > 0) {
      caught("duel", undecided + " of " + DUELS + " without one winner");
    }
    CORE_TESTS.forEach(MutantMain::test);
  }

  private static void tell(String stage, Optional<Failure> failure) {
    failure.ifPresent(
        found -> caught(stage, found.finding().invariant() + ", seed " + found.seed()));
  }

  private static void test(String name) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(name)).build();
    Launcher launcher = LauncherFactory.create();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    launcher.execute(request, listener);
    for (TestExecutionSummary.Failure failure : listener.getSummary().getFailures()) {
      caught(
          name.substring(name.lastIndexOf('.') + 1), failure.getTestIdentifier().getDisplayName());
    }
  }

  private static void caught(String stage, String details) {
    System.out.println(stage + "\t" + details);
    System.out.flush();
    Runtime.getRuntime().halt(1); // what hangs must not hold up the end
  }
}
