package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A short run of {@code ./purgatory check}. */
class CheckerTest {
  static final int SEEDS = 150;
  static final int RACES = 50;
  private static final int DUELS = 100_000;

  @Test
  void simulations_withFaults_findNothing() {
    assertNothing(new Checker(Fault.usual()).simulate(0, SEEDS, done -> {}));
  }

  @Test
  void simulations_withoutFaults_findNothing() {
    assertNothing(new Checker(Fault.none()).simulate(0, SEEDS / 3, done -> {}));
  }

  @Test
  void races_withFaults_findNothing() {
    assertNothing(new Checker(Fault.usual()).race(0, RACES, done -> {}));
  }

  @Test
  void races_withoutFaults_findNothing() {
    assertNothing(new Checker(Fault.none()).race(0, RACES / 3, done -> {}));
  }

  @Test
  void duels_haveOneWinner() throws InterruptedException {
    assertThat(new Duel(DUELS).run()).isZero();
  }

  private static void assertNothing(Optional<Failure> failure) {
    failure.ifPresent(
        found -> {
          throw new AssertionError(
              "seed " + found.seed() + "\n" + found.listing(), found.finding());
        });
    assertThat(failure).isEmpty();
  }
}
