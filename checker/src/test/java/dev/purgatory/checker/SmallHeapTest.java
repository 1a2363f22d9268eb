package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the promises hold again after allocations have failed. */
@Tag("long")
class SmallHeapTest {
  /** Usual rounds. For more: {@code -Dsmall-heap.rounds=1000}. */
  static final int ROUNDS = 10;

  /** How long a round may take on a busy machine, with the start of the JVM. */
  private static final int SECONDS_FOR_A_ROUND = 30;

  @Test
  void outOfMemory_leavesNoDamage(@TempDir Path folder) throws Exception {
    int rounds = Integer.getInteger("small-heap.rounds", ROUNDS);
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx12m",
                "-XX:TieredStopAtLevel=1", // the other compiler may run out of memory at any time
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                SmallHeap.class.getName(),
                Integer.toString(rounds))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor((long) rounds * SECONDS_FOR_A_ROUND, TimeUnit.SECONDS))
        .as("ends")
        .isTrue();
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    assertThat(Integer.parseInt(Files.readString(output).strip())).as("times").isPositive();
  }
}
