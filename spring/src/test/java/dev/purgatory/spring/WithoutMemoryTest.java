package dev.purgatory.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the adapters work after memory was exhausted. All are here, as this module has them on
 * its class path. Web servers are not among them: those of the JDK and of Spring Boot end threads
 * of their own without memory.
 */
@Tag("long")
class WithoutMemoryTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"netty", "netty-executor", "answers", "metrics", "console"})
  void partIsUsedWithoutMemory_worksAfterwards(String part) throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx12m",
                "-XX:TieredStopAtLevel=1", // the other compiler may run out of memory at any time
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path")
                    + File.pathSeparator
                    + System.getProperty("jdk.module.path", ""),
                WithoutMemory.class.getName(),
                part)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ends").isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
