package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The README is short, its sample runs, and its table lists the artifacts of the BOM. */
@Timeout(60)
class ReadmeTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(purgatory[\\w-]*)` \\|");
  private static final Pattern MANAGED =
      Pattern.compile("<artifactId>(purgatory[\\w-]*)</artifactId>");

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // as users write it
  void sample_printsTheAnswer() {
    // sample: readme
    Purgatory<String> polls = Purgatory.builder("polls", String.class).build();
    Map<String, String> news = new ConcurrentHashMap<>();
    CompletableFuture<String> poll =
        polls.until(() -> news.get("cup")).orAfter(Duration.ofSeconds(30), () -> "0:0").hold("cup");
    poll.thenAccept(System.out::println); // "0:0" after 30 seconds, unless an event comes before
    news.put("cup", "2:1");
    polls.signal("cup"); // after the event: evaluates what waits for "cup", and prints 2:1
    // end
    assertThat(poll).isCompletedWithValue("2:1");
    polls.close();
  }

  @Test
  void pageIsShort() throws IOException {
    assertThat(readme().lines()).hasSizeLessThan(100);
  }

  @Test
  void tableListsTheArtifactsOfTheBom() throws IOException {
    List<String> managed =
        MANAGED
            .matcher(Files.readString(ROOT.resolve("bom/pom.xml")))
            .results()
            .map(found -> found.group(1))
            .filter(name -> !name.equals("purgatory-parent"))
            .distinct()
            .toList();
    assertThat(ROW.matcher(readme()).results().map((MatchResult found) -> found.group(1)))
        .containsExactlyInAnyOrderElementsOf(managed);
  }

  private static String readme() throws IOException {
    return Files.readString(ROOT.resolve("README.md"));
  }
}
