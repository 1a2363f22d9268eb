package dev.purgatory.races;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual threads that meet at the library's locks go on, on JDK 21 to 23 in particular. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {
  @TempDir private Path folder;

  /** With one processor, the timer has one stripe, and all virtual threads share one carrier. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void virtualThreads_neverAllWait(int processors) throws Exception {
    Path output = folder.resolve("output");
    Path dump = folder.resolve("stacks").toAbsolutePath();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process process =
        new ProcessBuilder(
                List.of(
                    java,
                    "-XX:ActiveProcessorCount=" + processors,
                    "-Djdk.virtualThreadScheduler.parallelism=" + processors,
                    "-Djdk.virtualThreadScheduler.maxPoolSize=" + processors,
                    "-cp",
                    classes,
                    VirtualThreads.class.getName(),
                    dump.toString()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as("%s%n%s", Files.readString(output), carriers(dump)).isZero();
  }

  /** Returns the stacks of the threads that hold a carrier, of a dump. */
  private static String carriers(Path dump) throws Exception {
    if (!Files.exists(dump)) {
      return "";
    }
    return Stream.of(Files.readString(dump).split("\n\n"))
        .filter(stack -> stack.contains("parkOnCarrierThread") || stack.contains("dev.purgatory"))
        .limit(20)
        .collect(Collectors.joining("\n\n"));
  }
}
