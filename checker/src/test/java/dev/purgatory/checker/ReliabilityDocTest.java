package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the page on reliability names what is checked, and says how much of it. */
class ReliabilityDocTest {
  private static final Path HOME = Path.of("..");
  private static final Pattern MISTAKE = Pattern.compile("(?<!\\*)\\*([a-z][^*]+)\\*(?!\\*)");
  private static final Pattern MORE_THAN = Pattern.compile("There are more than ([0-9]+):");

  private static String page() throws IOException {
    return Files.readString(HOME.resolve("docs/evidence/reliability.md"));
  }

  /** Returns the first group of the only match in a file. */
  private static String in(String file, String regex) throws IOException {
    List<String> found =
        Pattern.compile(regex)
            .matcher(Files.readString(HOME.resolve(file)))
            .results()
            .map(each -> each.group(1))
            .toList();
    assertThat(found).as(regex + " in " + file).hasSize(1);
    return found.get(0);
  }

  @Test
  void pageHasTheNumbersOfTheBuild() throws IOException {
    String wheels = "timer/src/test/java/dev/purgatory/wheel/TimingWheelsTest.java";
    assertThat(page())
        .contains(
            in(wheels, "seed < ([0-9_]+); seed").replace('_', ',') + " random programs",
            String.format(
                Locale.ROOT,
                "| %,d seeds on one thread and %,d on three with faults, a third without |",
                CheckerTest.SEEDS,
                CheckerTest.RACES),
            "| `.ci/run`: " + SmallHeapTest.ROUNDS + " rounds |",
            "| `.ci/run`: every " + MutantsTest.USUALLY_EVERY + "th |",
            "`.ci/run` makes every " + MutantsTest.USUALLY_EVERY + "th mistake",
            in("races/pom.xml", "<race.budget>([0-9]+)</race.budget>") + " s of jcstress |",
            "| "
                + in("races/pom.xml", "<fray.schedules>([0-9]+)</fray.schedules>")
                + " schedules of each |");
  }

  @Test
  void pageHasTheNumbersOfTheParity() throws IOException {
    String classes = in("kafka/README.md", "\\| ([0-9]+ classes \\| 825) ").replace(" |", ",");
    String suites = in("kafka/README.md", "\\| 6 classes \\| ([0-9]+) ");
    assertThat(page())
        .contains("| `.ci/run`: " + classes + " tests |", "`-Pkafka-suites`: " + suites + " more");
  }

  /** The page has a round number, so that few new mistakes change it. */
  @Test
  void thereAreAsManyMistakesAsThePageSays() throws IOException {
    int said = Integer.parseInt(in("docs/evidence/reliability.md", MORE_THAN.pattern()));
    assertThat(Mutant.ALL).hasSizeGreaterThan(said).hasSizeLessThan(2 * said);
  }

  @Test
  void mistakesOfThePageAreMade() throws IOException {
    String page = page();
    List<String> made = Mutant.ALL.stream().map(Mutant::name).toList();
    assertThat(MISTAKE.matcher(page).results().map(each -> each.group(1)))
        .isNotEmpty()
        .isSubsetOf(made);
  }

  @Test
  void pageNamesAllInvariantsAndFaults() throws IOException {
    String page = page().replace("`", "");
    for (Invariant invariant : Invariant.values()) {
      assertThat(page).contains("| " + invariant + " | " + invariant.meaning() + " |");
    }
    for (Fault fault : Fault.values()) {
      assertThat(page).contains("| " + fault.title() + " | " + fault.meaning() + " |");
    }
  }
}
