package dev.purgatory.cluster.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the soak itself, on stock Kafka. */
@Tag("long")
class SoakRunTest {
  private static final String CLASS_PATH =
      Path.of("target", "lib").toAbsolutePath() + File.separator + "*";
  private static final Duration LENGTH = Duration.ofSeconds(6);

  /** With this seed, a node is cut off and then killed in the first six seconds. */
  private static final long SEED = 165;

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void disturbsNodesAndReadsAllMessages() throws Exception {
    List<String> lines = new ArrayList<>();
    long begin = System.nanoTime();
    SoakResult result =
        SoakRun.run(
            new SoakPlan(CLASS_PATH, false, LENGTH, 4, SEED),
            line -> {
              System.out.println(seconds(begin) + " s: " + line); // says where a run was slow
              lines.add(line);
            });
    assertThat(result.isClean()).as(result.verdict()).isTrue();
    assertThat(result.disturbances()).containsEntry("cut off", 1).containsEntry("killed", 1);
    assertThat(List.of(result.duringSoak().received(), result.readBack().received()))
        .allMatch(received -> received >= result.clients().acknowledged());
    assertThat(String.join("\n", lines)).contains(" cut off for ", " killed for ");
  }

  private static long seconds(long begin) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
  }
}
