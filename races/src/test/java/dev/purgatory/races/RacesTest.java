package dev.purgatory.races;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;

/** Runs all races for some seconds, or for as long as {@code -Drace.budget=30m} says. */
class RacesTest {
  @Test
  void everyOutcomeIsNamed() throws IOException, InterruptedException {
    Path output = Path.of("target/races.txt");
    Process races =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "-tb",
                System.getProperty("race.budget", "40s"),
                "-r",
                new File("target/races").getAbsolutePath())
            .directory(new File("target"))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int exit = races.waitFor();
    assertThat(exit).as(() -> text(output)).isZero();
    assertThat(output).content().contains("CompleteAgainstExpire", "AdvanceAgainstAdvance");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
