package dev.purgatory.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the soak itself, on stock Kafka. */
class SoakRunTest {
  private static final String CLASS_PATH =
      Path.of("..", "cluster", "target", "lib").toAbsolutePath() + File.separator + "*";
  private static final Duration LENGTH = Duration.ofSeconds(6);

  /** With this seed, a node is cut off and then killed in the first six seconds. */
  private static final long SEED = 165;

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void disturbsNodesAndReadsAllMessages() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    SoakResult result = SoakRun.run(new SoakPlan(CLASS_PATH, false, LENGTH, 4, SEED), out, false);
    assertThat(result.isClean()).as(result.verdict()).isTrue();
    assertThat(result.disturbances()).containsEntry("cut off", 1).containsEntry("killed", 1);
    assertThat(List.of(result.duringSoak().received(), result.readBack().received()))
        .allMatch(received -> received >= result.clients().acknowledged());
    assertThat(output.toString(StandardCharsets.UTF_8)).contains(" cut off for ", " killed for ");
  }
}
