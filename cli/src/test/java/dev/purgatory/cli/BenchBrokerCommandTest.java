package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchBrokerCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... options) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> words = new ArrayList<>(List.of("bench", "broker"));
    words.addAll(List.of(options));
    return commandLine.execute(words.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "--rounds 0, from 1 to",
    "--seconds 0, from 1 to",
    "--rounds many, many",
    "--only nonsense, nonsense",
    "--only nonsense, writes",
    "--nonsense, nonsense"
  })
  void invalidOptionsPrintOneLine(String options, String part) {
    assertThat(run(options.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("purgatory bench broker: ").contains(part);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void helpStatesTheDuration() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("minutes");
  }
}
