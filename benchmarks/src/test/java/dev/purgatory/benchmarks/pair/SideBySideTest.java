package dev.purgatory.benchmarks.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SideBySideTest {
  private static Path source(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static String run(List<Path> other, Loop loop) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SideBySide.run(other, 3, List.of(loop), new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void run_printsTimesAndRatiosOfEachLoop() throws Exception {
    String[] fields =
        run(List.of(source(Purgatory.class), source(Timer.class)), Loop.CHECK)
            .strip()
            .split("\t", -1);
    assertThat(fields).hasSize(5).startsWith("CHECK");
    assertThat(List.of(fields).subList(1, 5))
        .allSatisfy(each -> assertThat(Double.parseDouble(each)).isPositive());
  }

  @Test
  void run_withoutTheLibrary_fails(@TempDir Path empty) {
    assertThatThrownBy(() -> run(List.of(empty), Loop.CHECK)).hasMessageContaining("dev/purgatory");
  }

  @ParameterizedTest
  @EnumSource
  void loop_runsAnyNumberOfRounds(Loop loop) {
    IntConsumer rounds = loop.get();
    rounds.accept(1);
    rounds.accept(1000);
  }
}
