package dev.purgatory.kafka.versus;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** Runs {@link Probes} in a separate JVM with a given class path. */
final class ForkedJvm {
  private static final long TIMEOUT_S = 60;

  private ForkedJvm() {}

  static Probes.Results run(List<String> classPath) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(classPath))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      Properties printed = new Properties();
      try (Reader output = process.inputReader()) {
        printed.load(output);
      }
      if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException("the probes failed after printing " + printed);
      }
      return Probes.Results.of(printed);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Keeps the JVM from starting threads of its own while wake-ups are counted. */
  private static List<String> command(List<String> classPath) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:-UseDynamicNumberOfCompilerThreads",
        "-cp",
        String.join(File.pathSeparator, classPath),
        Probes.class.getName());
  }
}
