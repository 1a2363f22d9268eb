package dev.purgatory.examples.start;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The Maven of this build, with a local repository that has what the page installs. What else it
 * needs is taken from the local repository of this build: its plugins and libraries are there
 * already.
 */
final class Maven {
  private static final boolean WINDOWS = File.separatorChar == '\\';

  /** The artifacts that the page uses, with their folders. */
  private static final Map<String, String> ARTIFACTS =
      Map.of(
          "purgatory-parent", "",
          "purgatory-timer", "timer",
          "purgatory", "core",
          "purgatory-testkit", "testkit",
          "purgatory-micrometer", "micrometer");

  private Maven() {}

  /** Puts the artifacts into the local repository. */
  static void install() throws IOException {
    for (Map.Entry<String, String> artifact : ARTIFACTS.entrySet()) {
      String version = property("version");
      String file = artifact.getKey() + "-" + version;
      Path module = Page.ROOT.resolve(artifact.getValue());
      Path folder = Path.of(property("installed"), "dev", "purgatory", artifact.getKey(), version);
      Files.createDirectories(folder);
      Files.copy(module.resolve("pom.xml"), folder.resolve(file + ".pom"), REPLACE_EXISTING);
      if (!artifact.getValue().isEmpty()) {
        Path jar = module.resolve("target").resolve(file + ".jar");
        Files.copy(jar, folder.resolve(file + ".jar"), REPLACE_EXISTING);
      }
    }
  }

  /** Runs it in a folder, and returns what it printed. */
  static String run(Path folder, List<String> goals) throws IOException, InterruptedException {
    Path printed = Files.createTempFile("maven", ".log");
    try {
      ProcessBuilder maven =
          new ProcessBuilder(command(goals))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(printed.toFile());
      maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
      Process process = maven.start();
      boolean ended = process.waitFor(4, TimeUnit.MINUTES);
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      String output = Files.readString(printed);
      if (!ended || process.exitValue() != 0) {
        throw new AssertionError("mvn " + goals + (ended ? " failed:\n" : " hangs:\n") + output);
      }
      return output;
    } finally {
      Files.delete(printed);
    }
  }

  private static List<String> command(List<String> goals) {
    List<String> command = new ArrayList<>();
    command.add(property("maven.home") + "/bin/mvn" + (WINDOWS ? ".cmd" : ""));
    command.add("--batch-mode");
    command.add("--no-transfer-progress");
    command.add("-Dmaven.repo.local=" + property("installed"));
    command.add("-Dmaven.repo.local.tail=" + property("repositories"));
    if (property("mode").equals("offline: true")) {
      command.add("--offline");
    }
    command.addAll(goals);
    return command;
  }

  private static String property(String name) {
    String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(name + " is not set: run this test with Maven");
    }
    return value;
  }
}
