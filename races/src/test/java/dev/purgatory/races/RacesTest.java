package dev.purgatory.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.JCStressTest;

/**
 * Runs races with jcstress, for as long as {@code -Drace.budget} allows: all of them, or as many as
 * fit into it. The classes of the core decide with which it begins, so each change tries others.
 */
class RacesTest {
  private static final Duration LONGEST_PASS = Duration.ofMinutes(5);

  /** Passes use these in turn: each compiler orders loads and stores in its own way. */
  private static final List<String> JVM_ARGUMENTS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:-TieredCompilation -XX:+UnlockDiagnosticVMOptions -XX:+StressLCM -XX:+StressGCM",
          "-XX:TieredStopAtLevel=1",
          "-Xint");

  /** jcstress runs each race with and without biased locking, on JVMs that support it. */
  private static final long FORKS = 2;

  private static final long FORK_STARTS_MILLIS = 1_300;
  private static final long LEAST_MILLIS = 100;
  private static final long PROBES_MILLIS = 5_000;

  @Test
  @Tag("long")
  void races_haveOnlyPermittedOutcomes() throws IOException, InterruptedException {
    Duration budget = Duration.ofSeconds(Integer.getInteger("race.budget", 35));
    long passes = Math.max(1, budget.dividedBy(LONGEST_PASS));
    for (int pass = 0; pass < passes; pass++) {
      pass(pass, budget.dividedBy(passes).toMillis() - PROBES_MILLIS);
    }
  }

  private static void pass(int number, long millis) throws IOException, InterruptedException {
    List<String> all = races().stream().map(Class::getCanonicalName).toList();
    long fit = millis / (FORKS * (FORK_STARTS_MILLIS + LEAST_MILLIS));
    List<String> races = some(all, (int) Math.max(1, Math.min(all.size(), fit)));
    long each = millis / (FORKS * races.size()) - FORK_STARTS_MILLIS;
    Path output = Path.of("target/races-" + number + ".txt");
    int exit = jcstress(number, races, Math.max(LEAST_MILLIS, each), output);
    String report = Files.readString(output);
    assertThat(exit).as("%s", report).isZero();
    assertThat(report)
        .contains(races)
        .containsPattern("Results: ([1-9]\\d*) planned; \\1 passed, 0 failed, 0 soft errs, 0 hard");
  }

  private static List<String> some(List<String> races, int count) throws IOException {
    List<String> rotated = new ArrayList<>(races);
    Collections.rotate(rotated, (int) (checksumOfCore() % races.size()));
    return rotated.subList(0, count);
  }

  /** Returns a checksum of the classes of timer and core, each in a folder or a jar. */
  private static long checksumOfCore() throws IOException {
    CRC32 checksum = new CRC32();
    for (Class<?> each : List.of(Timer.class, Purgatory.class)) {
      try (Stream<Path> files = Files.walk(source(each))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          checksum.update(Files.readAllBytes(file));
        }
      }
    }
    return checksum.getValue();
  }

  private static Path source(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static List<Class<?>> races() {
    return Stream.<Class<?>>of(
            PurgatoryRaces.class,
            FutureRaces.class,
            TakeRaces.class,
            AsyncRaces.class,
            ReplyRaces.class,
            TimerRaces.class,
            SessionRaces.class,
            FeatureRaces.class)
        .flatMap(races -> Stream.<Class<?>>of(races.getDeclaredClasses()))
        .filter(race -> race.isAnnotationPresent(JCStressTest.class))
        .toList();
  }

  private static int jcstress(int pass, List<String> races, long millis, Path output)
      throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>(List.of(java, "-cp", classes, Main.class.getName()));
    command.addAll(List.of("-time", Long.toString(millis), "-iters", "1", "-f", "1", "-fsm", "1"));
    command.addAll(List.of("-sc", "false", "-strideCount", "4", "-v"));
    command.addAll(List.of("-jvmArgs", JVM_ARGUMENTS.get(pass % JVM_ARGUMENTS.size())));
    command.addAll(List.of("-t", "^(" + String.join("|", races) + ")$"));
    command.addAll(List.of("-r", new File("target/races").getAbsolutePath()));
    return new ProcessBuilder(command)
        .directory(new File("target"))
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start()
        .waitFor();
  }
}
