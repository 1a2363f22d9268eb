package dev.purgatory.kafka.versus;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** Runs a program that prints properties in a separate JVM with a given class path. */
final class ForkedJvm {
  private static final long TIMEOUT_S = 60;

  private ForkedJvm() {}

  static Properties run(Class<?> program, List<String> classPath)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(program, classPath))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      Properties printed = new Properties();
      try (Reader output = process.inputReader()) {
        printed.load(output);
      }
      if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException("the program failed after printing " + printed);
      }
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * Keeps the JVM from starting threads of its own while wake-ups are counted, and from logging the
   * exceptions that callbacks throw on purpose.
   */
  private static List<String> command(Class<?> program, List<String> classPath) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:-UseDynamicNumberOfCompilerThreads",
        "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
        "-Dlog4j2.simplelogLevel=OFF",
        "-cp",
        String.join(File.pathSeparator, classPath),
        program.getName());
  }
}
