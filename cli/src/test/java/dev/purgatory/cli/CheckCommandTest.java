package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CheckCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String line) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(line.split(" "));
  }

  @Test
  void successPrintsASummary() {
    assertThat(run("check --seeds 20 --races 2 --from 7")).isZero();
    assertThat(out.toString())
        .contains("20 programs on one thread and 2 on three, from seed 7: no findings");
  }

  @Test
  void runsASingleSeed() {
    assertThat(run("check --seed 5 --no-faults --fault reentrant=1")).isZero();
    assertThat(out.toString()).contains("1 programs on one thread and 0 on three");
  }

  @ParameterizedTest
  @CsvSource({
    "check --seeds -1, --seeds must be from 0",
    "check --seed 1 --race 2, choose either --seed or --race",
    "check --races x, '''x'' is not an int'",
    "check --fault weather=0.5, 'unknown fault ''weather''; valid names: exception, error,'",
    "check --fault clock=2, --fault clock must be from 0 to 1",
  })
  void invalidUsePrintsOneLine(String line, String message) {
    assertThat(run(line)).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("purgatory check: ").contains(message);
  }
}
