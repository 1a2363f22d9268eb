package dev.purgatory.checker.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs each program of this package in a JVM of its own, and compares the last line that it prints
 * with its verdict: {@code ./mvnw verify -pl checker -Dtest=ProgramsTest -DexcludedGroups=}.
 */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT) // many of them only wait
class ProgramsTest {
  private static final int MINUTES = 3;

  @TempDir Path folder;

  /** A run of a program. */
  private record Run(
      Class<?> program, List<String> options, List<String> args, int exitCode, String verdict) {
    static Run of(Class<?> program, String verdict) {
      return new Run(program, List.of(), List.of(), 0, verdict);
    }

    /** Returns the same run with options of the JVM. */
    Run with(String... more) {
      return new Run(program, List.of(more), args, exitCode, verdict);
    }

    Run args(String... more) {
      return new Run(program, options, List.of(more), exitCode, verdict);
    }

    Run exits(int code) {
      return new Run(program, options, args, code, verdict);
    }

    @Override
    public String toString() {
      return program.getSimpleName() + args;
    }
  }

  static Stream<Run> programs() {
    Run clock = Run.of(ClockWithoutMemory.class, "times out afterwards: true");
    Run exit = Run.of(ExitInACallback.class, "closed").exits(ExitInACallback.CODE);
    return Stream.of(
        Run.of(SuspendedServer.class, "sessions lost: 0"), // waits the longest, so it begins first
        Run.of(ThresholdChain.class, "all ended: true, failed: 0"),
        Run.of(FutureChains.class, "verbs whose chain breaks: []"),
        Run.of(BlockedTask.class, "in time: true, interrupted: false"),
        Run.of(LoaderOfAStarter.class, "clock ended before: true, in use: true, kept: false"),
        Run.of(JumpOfTheClock.class, "expired early: 0"),
        Run.of(EmptyTable.class, "cancelled entries of others: 900, visited: 0"),
        Run.of(CancelWithoutMemory.class, "all done: true").with("-Xmx32m", "-XX:+UseG1GC"),
        Run.of(MovedWithoutMemory.class, "all done: true").with("-Xmx20m"),
        clock.args("first").with("-Xmx24m", "-XX:+UseG1GC"),
        clock.args("cold").with("-Xmx24m", "-XX:+UseG1GC"),
        Run.of(ThreadStarters.class, "calls that start a thread: [KeyGroup.close]"), // a purge
        Run.of(ManyFutures.class, "in time: true"),
        Run.of(PastDeadlines.class, "rounds in the wrong order: 0"),
        Run.of(InterruptLeftBehind.class, "files closed: same purgatory 0, another 0"),
        Run.of(InterruptedCalls.class, "flags lost: [], all called: true, began interrupted: 0"),
        exit.args("timeout"),
        exit.args("condition"),
        exit.args("task"),
        Run.of(InheritedLocals.class, "callbacks with an identity: 0 of 7"),
        Run.of(
            HostileNames.class,
            "names in JMX: true, messages too long: 0, with control characters: 0"),
        Run.of(SessionsWithoutMemory.class, "all keys free: true, all ends told: true")
            .with("-Xmx20m"),
        Run.of(ExecutorWithoutMemory.class, "execute() runs: true, schedule() runs: true")
            .with("-Xmx20m"));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void program_hasItsVerdict(Run run) throws Exception {
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    Process process =
        new ProcessBuilder(command(run))
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    boolean ends = process.waitFor(MINUTES, TimeUnit.MINUTES);
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    int exitCode = process.destroyForcibly().waitFor();
    List<String> lines = Files.readAllLines(output);
    assertThat(ends).as("ends").isTrue();
    assertThat(lines).as(Files.readString(errors)).isNotEmpty();
    assertThat(lines.get(lines.size() - 1)).isEqualTo(run.verdict);
    assertThat(exitCode).isEqualTo(run.exitCode);
  }

  private static List<String> command(Run run) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(run.options);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(run.program.getName());
    command.addAll(run.args);
    return command;
  }
}
