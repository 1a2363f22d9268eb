package dev.purgatory.benchmarks.run;

import com.sun.management.OperatingSystemMXBean;
import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.results.Environment;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Describes the environment of a run. */
public final class Environments {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  private Environments() {}

  /** Returns the environment of a run of {@code ./purgatory bench}. */
  static Environment of(Options options) throws InterruptedException {
    return of(options.mode(), command(options), options.home());
  }

  /**
   * Returns the environment of a run.
   *
   * @param mode the kind of run
   * @param command the command that repeats the run
   * @param home the root of the checkout
   */
  public static Environment of(String mode, String command, Path home) throws InterruptedException {
    return new Environment(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        commit(home),
        command,
        mode,
        System.getProperty("java.vendor") + " " + Runtime.version(),
        Stream.of("os.name", "os.version", "os.arch")
            .map(System::getProperty)
            .reduce((a, b) -> a + " " + b)
            .orElseThrow(),
        cpu(),
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize());
  }

  private static String command(Options options) {
    List<String> words = new ArrayList<>(List.of("./purgatory", "bench", "--" + options.mode()));
    new TreeSet<>(options.only()).forEach(name -> words.add("--only " + name));
    new TreeSet<>(options.contenders()).forEach(name -> words.add("--contender " + name));
    words.add("--seed " + options.seed());
    return String.join(" ", words);
  }

  private static String commit(Path home) throws InterruptedException {
    List<String> head = git(home, "rev-parse", "HEAD");
    if (head.isEmpty()) {
      return "unknown";
    }
    boolean dirty =
        !git(
                home,
                "status",
                "--porcelain",
                "--untracked-files=no",
                "--",
                ".",
                // What runs write.
                ":!docs/evidence",
                ":!docs/operators",
                ":!benchmarks/results")
            .isEmpty();
    return head.get(0) + (dirty ? "-dirty" : "");
  }

  /** Returns the output of git; empty without git or outside a checkout. */
  private static List<String> git(Path home, String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-C", home.toString()));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      List<String> lines = process.inputReader().lines().toList();
      return process.waitFor() == 0 ? lines : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static String cpu() {
    try (Stream<String> lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith(MODEL))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
