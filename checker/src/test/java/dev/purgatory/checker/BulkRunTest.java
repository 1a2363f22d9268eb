package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.purgatory.checker.BulkStep.Burst;
import dev.purgatory.checker.BulkStep.Ending;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BulkRunTest {
  private static final BulkSettings SETTINGS =
      new BulkSettings(
          Duration.ofMillis(1).toNanos(), 20, /* stripes= */ 1, /* purgatories= */ 1, true);

  /** A purge is due after a thousand ends, but only every eighth end looks for it. */
  @Test
  void quiet_afterEndsThatDoNotLookForADuePurge_ends() {
    Burst burst = new Burst(0, 1_003, 0, 1, Duration.ofHours(1).toNanos(), Ending.CANCEL, false, 0);
    Step<BulkRun> quiet = Step.of("Quiet[]", BulkRun::quiet);
    Program<BulkRun> program = new Program<>(SETTINGS, List.of(burst, quiet));
    assertThatCode(() -> program.run(new Tally())).doesNotThrowAnyException();
  }
}
