package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Main;
import dev.purgatory.benchmarks.measure.Sample;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs jobs in separate JVMs and reads their output. */
final class Fork {
  private static final int LIMIT_FACTOR = 4;
  private static final Duration MIN_LIMIT = Duration.ofSeconds(30);

  private final Path home;

  /**
   * Creates a fork.
   *
   * @param home the root of the checkout
   */
  Fork(Path home) {
    this.home = home;
  }

  /**
   * Runs a job. Kills the JVM if it takes several times longer than expected.
   *
   * @throws IOException if the JVM cannot be started
   */
  Outcome run(Job job) throws IOException, InterruptedException {
    Path output = Files.createTempFile("purgatory-bench", ".out");
    Path errors = Files.createTempFile("purgatory-bench", ".err");
    try {
      Process process =
          new ProcessBuilder(command(job))
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile())
              .start();
      int exit = await(process, limit(job));
      return Outcome.of(exit, Files.readAllLines(output), Files.readAllLines(errors));
    } finally {
      Files.delete(output);
      Files.delete(errors);
    }
  }

  private static Duration limit(Job job) {
    Duration limit = job.expected().multipliedBy(LIMIT_FACTOR);
    return limit.compareTo(MIN_LIMIT) < 0 ? MIN_LIMIT : limit;
  }

  private static int await(Process process, Duration limit) throws InterruptedException {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
          ? process.exitValue()
          : Outcome.TOO_SLOW;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private List<String> command(Job job) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(job.jvmFlags());
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-cp");
    command.add(String.join(File.pathSeparator, classPath(job)));
    command.add(Main.class.getName());
    command.add(job.measurement().title());
    command.add(job.contender());
    command.addAll(job.settings());
    return command;
  }

  private List<String> classPath(Job job) {
    List<String> classPath = new ArrayList<>();
    if (job.needsDropIn()) {
      classPath.add(dropIn().toString());
    }
    classPath.add(ownClasses());
    classPath.add(home.resolve("benchmarks/target/lib") + File.separator + "*");
    return classPath;
  }

  private Path dropIn() {
    Path jar = home.resolve("kafka/target/purgatory-kafka.jar");
    if (!Files.isRegularFile(jar)) {
      throw new IllegalStateException("the drop-in has not been built: " + jar);
    }
    return jar;
  }

  private static String ownClasses() {
    try {
      return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("cannot find the classes of the benchmark", e);
    }
  }

  /**
   * The outcome of a job.
   *
   * @param failure the reason of its failure; empty if it succeeded
   * @param lastBegun the last configuration that it announced
   * @param samples the samples, up to the failure if there was one
   * @param notes messages for the user
   */
  record Outcome(
      String failure, Map<String, String> lastBegun, List<Sample> samples, List<String> notes) {
    static final int TOO_SLOW = -1;

    private static final int OUT_OF_MEMORY = 3;
    private static final String NOTE = "note\t";

    static Outcome of(int exit, List<String> output, List<String> errors) {
      List<Sample> samples = output.stream().filter(Sample::isLine).map(Sample::parse).toList();
      List<String> notes =
          output.stream()
              .filter(line -> line.startsWith(NOTE))
              .map(line -> line.substring(NOTE.length()))
              .toList();
      return new Outcome(failure(exit, errors), Sample.lastBegun(output), samples, notes);
    }

    private static String failure(int exit, List<String> errors) {
      return switch (exit) {
        case 0 -> "";
        case TOO_SLOW -> "took too long";
        case OUT_OF_MEMORY -> "ran out of memory";
        default -> "failed with " + exit + ": " + firstException(errors);
      };
    }

    private static String firstException(List<String> errors) {
      return errors.stream()
          .filter(line -> line.contains("Exception") || line.contains("Error"))
          .findFirst()
          .orElse("no message");
    }
  }
}
