package dev.purgatory.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the tests in JVMs of their own. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Runs a program, and returns its output. Fails unless it exits with 0. */
  public static String run(Path folder, List<String> options, Class<?> program, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(2 * Threads.PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("ends")
          .isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
      return Files.readString(output);
    } finally {
      process.destroyForcibly();
    }
  }
}
