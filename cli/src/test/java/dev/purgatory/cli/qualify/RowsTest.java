package dev.purgatory.cli.qualify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowsTest {
  private static final Path PUBLISHED = Path.of("../docs/operators");

  @TempDir private Path home;

  private Path folder() throws IOException {
    return Files.createDirectories(home.resolve("docs/operators"));
  }

  @Test
  void pageHasTheRowsOfTheFile() throws IOException {
    for (String name : List.of("qualified.csv", "kafka-operators.md")) {
      Files.copy(PUBLISHED.resolve(name), folder().resolve(name));
    }
    List<String> lines = Files.readAllLines(PUBLISHED.resolve("qualified.csv"));
    new Rows(home).put(List.of(lines.get(1).split(",", -1)));
    assertThat(folder().resolve("kafka-operators.md"))
        .hasSameTextualContentAs(PUBLISHED.resolve("kafka-operators.md"));
  }

  @Test
  void rowReplacesTheOneOfTheSameVersion_inTheFileAndOnThePage() throws IOException {
    Path folder = folder();
    Files.writeString(folder.resolve("qualified.csv"), "kafka,date\n4.3.1,old\n4.3.10,kept\n");
    Files.writeString(
        folder.resolve("kafka-operators.md"), "before\n<!-- qualified -->\n<!-- end -->\nafter\n");

    new Rows(home).put(List.of("4.3.1", "new"));

    assertThat(folder.resolve("qualified.csv"))
        .content()
        .isEqualTo("kafka,date\n4.3.1,new\n4.3.10,kept\n");
    assertThat(folder.resolve("kafka-operators.md"))
        .content()
        .isEqualTo(
            """
            before
            <!-- qualified -->
            | kafka | date |
            | --- | --- |
            | 4.3.1 | new |
            | 4.3.10 | kept |
            <!-- end -->
            after
            """);
  }
}
