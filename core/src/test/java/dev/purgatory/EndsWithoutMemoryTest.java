package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a future that ends while there is no memory is completed all the same. */
class EndsWithoutMemoryTest {
  @TempDir private Path folder;

  @Test
  void futuresThatEndWithoutMemory_areCompletedLater() throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx12m",
                "-XX:TieredStopAtLevel=1", // the other compiler may run out of memory at any time
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                EndsWithoutMemory.class.getName(),
                "4")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(4 * Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("ends")
          .isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
