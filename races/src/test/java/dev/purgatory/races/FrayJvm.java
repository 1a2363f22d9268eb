package dev.purgatory.races;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The JVM in which Fray chooses the schedules. It is made from a JDK 25, whose classes Fray changes
 * as it links them, in {@code target/fray}.
 */
final class FrayJvm {
  private static final Path FOLDER = Path.of("target/fray").toAbsolutePath();
  private static final Path RUNTIME = FOLDER.resolve("runtime");
  private static final Path AGENT = FOLDER.resolve("libjvmti.so");
  private static final String MODULES =
      "java.instrument,java.logging,java.management,jdk.jfr,jdk.unsupported";
  private static final List<String> OPENED =
      List.of("java.lang", "java.util", "java.io", "java.util.concurrent.atomic", "sun.nio.ch");
  static final String CLASSES =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private FrayJvm() {}

  /** Aborts the test if this machine has none. */
  static void require() throws IOException {
    String missing = missing();
    if (missing != null) {
      String message = "*** NOT TESTED: races under Fray: " + missing + ". ***";
      System.err.println(message);
      abort(message);
    }
  }

  /** Returns why there is none on this machine; null: there is one. */
  private static @Nullable String missing() throws IOException {
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!system.toLowerCase(Locale.ROOT).equals("linux on amd64")) {
      return "it needs Linux on x86-64, not " + system;
    }
    return jdk25() == null ? "no JDK 25 found in /usr/lib/jvm. Set JDK25_HOME" : null;
  }

  private static @Nullable Path jdk25() throws IOException {
    List<Path> candidates = new ArrayList<>();
    String home = System.getenv("JDK25_HOME");
    if (home != null) {
      candidates.add(Path.of(home));
    }
    if (Runtime.version().feature() == 25) {
      candidates.add(Path.of(System.getProperty("java.home")));
    }
    Path installed = Path.of("/usr/lib/jvm");
    if (Files.isDirectory(installed)) {
      try (Stream<Path> all = Files.list(installed)) {
        all.filter(each -> each.getFileName().toString().contains("25")).forEach(candidates::add);
      }
    }
    return candidates.stream()
        .filter(each -> Files.isExecutable(each.resolve("bin/jlink")))
        .findFirst()
        .orElse(null);
  }

  /**
   * Starts {@link Schedules}.
   *
   * @param changed a folder with classes that replace others; null: none
   * @param output where the output goes
   * @param args see {@link Schedules#main}
   */
  static Process start(@Nullable Path changed, Path output, String... args)
      throws IOException, InterruptedException {
    link();
    List<String> command = new ArrayList<>();
    command.add(RUNTIME.resolve("bin/java").toString());
    command.add("-agentpath:" + AGENT);
    command.add("-javaagent:" + jar("fray-instrumentation-agent"));
    OPENED.forEach(
        each -> command.addAll(List.of("--add-opens", "java.base/" + each + "=ALL-UNNAMED")));
    command.addAll(List.of("-ea", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-cp");
    command.add(changed == null ? CLASSES : changed + File.pathSeparator + CLASSES);
    command.add(Schedules.class.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  /** Makes the runtime, unless a former build has made it. */
  private static synchronized void link() throws IOException, InterruptedException {
    if (Files.exists(AGENT)) { // the last file that is made
      return;
    }
    Files.createDirectories(FOLDER);
    String modules =
        Stream.of(CLASSES.split(File.pathSeparator))
            .filter(
                jar ->
                    Path.of(jar)
                        .getFileName()
                        .toString()
                        .matches(
                            "(fray-instrumentation-(jdk|base)|fray-runtime|asm|kotlin-(stdlib|reflect)|annotations).*"))
            .collect(Collectors.joining(File.pathSeparator));
    Path jlink = Objects.requireNonNull(jdk25()).resolve("bin/jlink");
    int exit =
        new ProcessBuilder(
                jlink.toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-javaagent:" + jar("fray-instrumentation-jdk"),
                "-J--module-path=" + modules,
                "-J--add-modules=org.pastalab.fray.instrumentation.jdk",
                "--module-path=" + modules,
                "--add-modules=" + MODULES,
                "--fray-instrumentation",
                "--output=" + RUNTIME)
            .redirectErrorStream(true)
            .redirectOutput(FOLDER.resolve("jlink.txt").toFile())
            .start()
            .waitFor();
    if (exit != 0) {
      throw new IOException(Files.readString(FOLDER.resolve("jlink.txt")));
    }
    try (InputStream agent = FrayJvm.class.getResourceAsStream("/libjvmti.so")) {
      Files.copy(Objects.requireNonNull(agent), AGENT, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static String jar(String name) {
    return Stream.of(CLASSES.split(File.pathSeparator))
        .filter(jar -> Path.of(jar).getFileName().toString().startsWith(name))
        .findFirst()
        .orElseThrow();
  }
}
