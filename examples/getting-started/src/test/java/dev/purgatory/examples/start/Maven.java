package dev.purgatory.examples.start;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The Maven of this build, with a local repository that has what the page installs. What else it
 * needs is taken from the local repository of this build: its plugins and libraries are there
 * already.
 */
final class Maven {
  private static final boolean WINDOWS = File.separatorChar == '\\';

  private Maven() {}

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
    command.add("-Dmaven.repo.local.tail=" + property("localRepository"));
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
