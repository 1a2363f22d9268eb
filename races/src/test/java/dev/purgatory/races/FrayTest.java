package dev.purgatory.races;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Runs programs of a few threads under Fray, which chooses their schedules. */
class FrayTest {
  private static final String SCHEDULES = System.getProperty("fray.schedules", "2");

  /** A schedule, as a failure prints it. */
  private static final String REPLAY = System.getProperty("fray.replay", "");

  @Test
  void programs_areRightInAllSchedules() throws Exception {
    FrayJvm.require();
    Path output = Path.of("target/fray.txt");
    String[] replayed = REPLAY.split(":", -1);
    Process process =
        REPLAY.isEmpty()
            ? FrayJvm.start(
                null, output, SCHEDULES, ".*", "" + System.currentTimeMillis(), "0", "100")
            : FrayJvm.start(null, output, "1", replayed[0], replayed[1], replayed[2], replayed[3]);
    assertThat(process.waitFor()).as("%s", Files.readString(output)).isZero();
  }
}
