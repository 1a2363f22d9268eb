package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a recursion that calls the library until its stack is exhausted leaves no damage. */
class ExhaustedStackTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"-XX:+TieredCompilation, 4", "-XX:TieredStopAtLevel=1, 2", "-Xint, 1"})
  void stackIsExhaustedInTheLibrary_nothingIsLostAndNothingIsLeft(String mode, String rounds)
      throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                mode,
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + library(),
                ExhaustedStack.class.getName(),
                rounds)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(2 * Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("ends")
          .isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns the classes of the library, which are on the module path. */
  private static Path library() throws URISyntaxException {
    return Path.of(Purgatory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
