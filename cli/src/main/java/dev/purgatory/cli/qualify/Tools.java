package dev.purgatory.cli.qualify;

import dev.purgatory.cluster.node.NodeFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs Maven and small Java programs, one at a time. Each writes to a log of its own.
 *
 * <p>Maven installs this project's artifacts into a repository below the work folder, and reads the
 * user's repository besides.
 *
 * @param home the root of the checkout
 * @param work the folder for logs and jars
 */
public record Tools(Path home, Path work) {
  private static final String GUARD = "dev.purgatory.";
  private static final Pattern SUITE = Pattern.compile("<testsuite .*?>", Pattern.DOTALL);
  private static final Pattern TESTS = Pattern.compile(" tests=\"(\\d+)\"");
  private static final long PATIENCE_MINUTES = 60;

  /** Copies the jars of a broker of a version into a folder, and returns it. */
  public Path fetchBroker(String version) throws IOException, InterruptedException {
    Path lib = work.resolve("lib");
    maven(
        "fetch",
        "-f",
        "cluster/pom.xml",
        "dependency:copy-dependencies",
        "-Dkafka.version=" + version,
        "-DincludeScope=runtime",
        "-DoutputDirectory=" + lib);
    return lib;
  }

  /** Returns whether Kafka's test classes of a version are published. */
  public boolean hasTests(String version) throws IOException, InterruptedException {
    String jar = "org.apache.kafka:kafka-server-common:" + version + ":jar:test";
    try {
      maven("fetch-tests", "-N", "dependency:get", "-Dtransitive=false", "-Dartifact=" + jar);
      return true;
    } catch (NodeFailure e) {
      String log = Files.readString(log("fetch-tests"));
      if (log.contains("Could not find artifact") || log.contains("was not found in")) {
        return false; // the second text is that of later attempts
      }
      throw e;
    }
  }

  /**
   * Compiles a program among the drop-in's tests, and returns the folder with its classes.
   *
   * @param source the file of its main class, below the folder of the tests
   * @param classPath the class path of the broker
   */
  public Path compile(String source, String classPath) throws IOException, InterruptedException {
    Path sources = home.resolve("kafka/src/test/java");
    Path classes = work.resolve("classes");
    run(
        "compile",
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
            "-proc:none",
            "-sourcepath",
            sources.toString(),
            "-cp",
            classPath,
            "-d",
            classes.toString(),
            sources.resolve(source).toString()));
    return classes;
  }

  /**
   * Runs the listed tests of a version of Kafka on the drop-in.
   *
   * @param list the name of a list in {@code kafka/src/test/kafka-tests}
   * @return how many tests passed, in how many classes
   * @throws NodeFailure if a test failed, or if a class did not run
   */
  public String runTests(String version, String list, Path dropIn)
      throws IOException, InterruptedException {
    Path reports = home.resolve("kafka/target/" + list + "-reports");
    for (Path report : reports(reports)) {
      Files.delete(report);
    }
    maven("install", "install", "-DskipTests", "-Dspotless.check.skip", "-pl", "kafka", "-am");
    try {
      surefire(version, list, dropIn);
    } catch (NodeFailure e) {
      List<String> failed = new ArrayList<>();
      for (Path report : reports(reports)) {
        if (Files.readString(report).matches("(?s).*<(failure|error)\\b.*")) {
          failed.add(report.getFileName().toString().replaceAll("^TEST-|\\.xml$", ""));
        }
      }
      if (failed.isEmpty()) {
        throw e;
      }
      // Some depend on timing, and have static fields: they need a new JVM.
      surefire(version, list, dropIn, "-Dtest=" + String.join(",", failed));
    }
    int tests = 0;
    int classes = 0;
    for (Path report : reports(reports)) {
      Matcher suite = SUITE.matcher(Files.readString(report));
      Matcher count = suite.find() ? TESTS.matcher(suite.group()) : TESTS.matcher("");
      if (count.find() && !report.getFileName().toString().contains(GUARD)) {
        tests += Integer.parseInt(count.group(1));
        classes++;
      }
    }
    long expected =
        Files.readAllLines(home.resolve("kafka/src/test/kafka-tests/" + list + ".txt")).stream()
            .filter(line -> line.endsWith(".java") && !line.startsWith("dev/"))
            .count();
    if (classes != expected) {
      throw new NodeFailure(classes + " of " + expected + " test classes ran", log("kafka-tests"));
    }
    return tests + " in " + classes + " classes";
  }

  private void surefire(String version, String list, Path dropIn, String... more)
      throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-f",
                "kafka/pom.xml",
                "-Pqualify",
                "-Dkafka.version=" + version,
                "-Dkafka-tests=" + list,
                "-Dreleased-jar=" + dropIn,
                "surefire:test@kafka-tests"));
    arguments.addAll(List.of(more));
    maven("kafka-tests", arguments.toArray(String[]::new));
  }

  private static List<Path> reports(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().matches("TEST-.*xml")).toList();
    }
  }

  private void maven(String name, String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                home.resolve("mvnw").toString(),
                "--batch-mode",
                "--no-transfer-progress",
                "-Dmaven.repo.local=" + work.resolveSibling("repository"),
                "-Dmaven.repo.local.tail="
                    + Path.of(System.getProperty("user.home"), ".m2", "repository")));
    command.addAll(List.of(arguments));
    run(name, command);
  }

  /**
   * Runs a program that prints properties.
   *
   * @param name the name of its log
   * @param classPath its class path
   * @param main its main class
   * @throws NodeFailure if it fails; the message has the property {@code misfit}, if there is one
   */
  public Properties java(String name, String classPath, String main)
      throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    NodeFailure failure = null;
    try {
      // No threads of the JVM's own start while wake-ups are counted.
      run(
          name,
          List.of(
              java,
              "-XX:+UseSerialGC",
              "-XX:-UseDynamicNumberOfCompilerThreads",
              "-cp",
              classPath,
              main));
    } catch (NodeFailure e) {
      failure = e;
    }
    Properties printed = new Properties();
    try (var reader = Files.newBufferedReader(log(name))) {
      printed.load(reader);
    }
    if (failure != null) {
      String misfit = printed.getProperty("misfit");
      throw misfit == null ? failure : new NodeFailure(misfit);
    }
    return printed;
  }

  private void run(String name, List<String> command) throws IOException, InterruptedException {
    Files.createDirectories(work);
    Process process =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log(name).toFile())
            .start();
    try {
      if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new NodeFailure("the step '" + name + "' failed", log(name));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private Path log(String name) {
    return work.resolve(name + ".log");
  }
}
