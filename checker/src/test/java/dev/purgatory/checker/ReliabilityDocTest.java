package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the page on reliability names what is checked. */
class ReliabilityDocTest {
  private static final Pattern MISTAKE = Pattern.compile("(?<!\\*)\\*([a-z][^*]+)\\*(?!\\*)");

  @Test
  void mistakesOfThePageAreMade() throws IOException {
    String page = Files.readString(Path.of("../docs/reliability.md"));
    List<String> made = Mutants.ALL.stream().map(Mutant::name).toList();
    assertThat(MISTAKE.matcher(page).results().map(each -> each.group(1)))
        .isNotEmpty()
        .isSubsetOf(made);
  }

  @Test
  void pageNamesAllInvariantsAndFaults() throws IOException {
    String page = Files.readString(Path.of("../docs/reliability.md")).replace("`", "");
    for (Invariant invariant : Invariant.values()) {
      assertThat(page).contains("| " + invariant + " | " + invariant.meaning() + " |");
    }
    for (Fault fault : Fault.values()) {
      assertThat(page).contains("| " + fault.title() + " | " + fault.meaning() + " |");
    }
  }
}
