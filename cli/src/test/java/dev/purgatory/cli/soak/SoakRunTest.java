package dev.purgatory.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The shortest soak there is, on Kafka as released: it is the soak that is tested here. */
class SoakRunTest {
  private static final String CLASS_PATH =
      Path.of("..", "cluster", "target", "lib").toAbsolutePath() + File.separator + "*";
  private static final Duration LENGTH = Duration.ofSeconds(6);

  /** One whose first six seconds have a node cut off, and then killed. */
  private static final long SEED = 165;

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void nodesAreDisturbed_andEverythingIsReadBack() throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    SoakResult result = SoakRun.run(new SoakPlan(CLASS_PATH, false, LENGTH, 4, SEED), out, false);
    assertThat(result.isClean()).as(result.verdict()).isTrue();
    assertThat(result.disturbances()).containsEntry("cut off", 1).containsEntry("killed", 1);
    assertThat(result.readBack().received())
        .isEqualTo(result.onTheWay().received())
        .isGreaterThanOrEqualTo(result.clients().acknowledged());
    assertThat(said.toString(StandardCharsets.UTF_8)).contains(" cut off for ", " killed for ");
  }
}
