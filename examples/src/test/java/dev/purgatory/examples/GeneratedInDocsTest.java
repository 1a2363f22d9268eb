package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks the generated parts of pages: the options of all builders, from their Javadoc, the bytes
 * of held requests, from the published results, and the load test of Spring. With {@code
 * -Ddocs.write=true}, writes them.
 */
class GeneratedInDocsTest {
  private static final Path ROOT = Path.of("..");
  private static final Path CORE = ROOT.resolve("core/src/main/java/dev/purgatory");
  private static final Path ALL_NUMBERS = ROOT.resolve("docs/evidence/benchmarks-all.md");

  /** The Javadoc, the type and the name of a public method. */
  private static final Pattern METHOD =
      Pattern.compile(
          "/\\*\\*((?:(?!\\*/).)*)\\*/\\s+(?:@\\w+(?:\\([^)]*\\))?(?: *//[^\\n]*)?\\s+)*public (?:final )?(?:<\\w+> )?"
              + "([\\w<>, ]+?) (\\w+)\\(([^{]*)\\)\\s*\\{",
          Pattern.DOTALL);

  @Test
  void optionsOfBuilders() throws IOException {
    Path executor =
        ROOT.resolve("executor/src/main/java/dev/purgatory/executor/WheelScheduledExecutor.java");
    checkParts(
        "docs/use/options.md",
        Map.of(
            "purgatory", options(CORE.resolve("PurgatorySettings.java"), "", "S"),
            "replies", options(CORE.resolve("Replies.java"), "class Builder", "Builder<I, R>"),
            "request", options(CORE.resolve("Hold.java"), "class Untimed", "Untimed<K, T>"),
            "time", options(CORE.resolve("Hold.java"), "class Untimed", "Hold<K, T>"),
            "limit", options(CORE.resolve("Limit.java"), "class Builder", "Builder"),
            "timer",
                options(
                    ROOT.resolve("timer/src/main/java/dev/purgatory/timer/Timer.java"),
                    "class Builder",
                    "Builder"),
            "executor", options(executor, "class Builder", "Builder"),
            "console",
                options(
                    ROOT.resolve("console/src/main/java/dev/purgatory/console/Console.java"),
                    "class Builder",
                    "Builder")));
  }

  @Test
  void sizesOfRequests() throws IOException {
    String table =
        "| held | bytes |\n| --- | --- |\n"
            + size("a request on one key", "memory: heap per pending operation (bytes), keys 1")
            + size("a request on 3 keys", "memory: heap per pending operation (bytes), keys 3")
            + size("a request on 100 keys", "memory: heap per pending operation (bytes), keys 100")
            + size("an awaited reply", "replies: heap per awaited reply (bytes)")
            + size("a session", "sessions: heap per session (bytes), sessions 1,000,000");
    checkParts("docs/use/sizing.md", Map.of("sizes", table));
  }

  @Test
  void loadTestOfSpring() throws IOException {
    StringBuilder table =
        new StringBuilder(
            """
            | server | implementation | heap of an idle connection | of a held one | wake-up p50 | p99 |
            | --- | --- | --- | --- | --- | --- |
            """);
    Pattern.compile(
            "\"(\\w+)\", \"implementation\": \"([\\w ]+)\".*\"idleBytes\": (\\d+), \"heldBytes\": (\\d+),"
                + " \"p50Millis\": ([\\d.]+), \"p99Millis\": ([\\d.]+)")
        .matcher(Files.readString(ROOT.resolve("examples/spring/load-test.json")))
        .results()
        .forEach(
            run ->
                table.append(
                    String.format(
                        Locale.ROOT,
                        "| %s | `%s` | %.1f kB | %.1f kB | %.0f ms | %.0f ms |%n",
                        run.group(1),
                        run.group(2),
                        Double.parseDouble(run.group(3)) / 1000,
                        Double.parseDouble(run.group(4)) / 1000,
                        Double.parseDouble(run.group(5)),
                        Double.parseDouble(run.group(6)))));
    checkParts("docs/adapters/spring.md", Map.of("load-test", table.toString()));
  }

  private static String size(String held, String row) throws IOException {
    Matcher found =
        Pattern.compile(Pattern.quote("| " + row + " | `purgatory` | ") + "([\\d.,]+) \\|")
            .matcher(Files.readString(ALL_NUMBERS));
    assertThat(found.find()).as(row).isTrue();
    long bytes = Math.round(Double.parseDouble(found.group(1).replace(",", "")));
    return "| " + held + " | " + bytes + " |\n";
  }

  /** Returns a table of the methods of this type, behind a text in a source. */
  private static String options(Path source, String after, String type) throws IOException {
    String text = Files.readString(source);
    Matcher method = METHOD.matcher(text.substring(text.indexOf(after)));
    StringBuilder table = new StringBuilder("| option | what it does |\n| --- | --- |\n");
    while (method.find()) {
      if (method.group(2).equals(type)) {
        table
            .append("| `")
            .append(method.group(3))
            .append("(")
            .append(names(method.group(4)))
            .append(")` | ")
            .append(firstSentence(method.group(1)))
            .append(" |\n");
      }
    }
    return table.toString();
  }

  private static String names(String parameters) {
    return Pattern.compile("(\\w+)\\s*(?:,(?![^<]*>)|$)")
        .matcher(parameters.strip())
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.joining(", "));
  }

  private static String firstSentence(String javadoc) {
    String text = javadoc.replaceAll("\\s*\\n\\s*\\*\\s*", " ").strip() + " ";
    return text.substring(0, text.indexOf(". "))
        .replaceFirst(": see \\{@link.*", "")
        .replaceAll("\\{@link [^}]*?#(\\w+)[^}]*}", "`$1`")
        .replaceAll("\\{@(?:link|code) ([^}]*)}", "`$1`");
  }

  private static void checkParts(String page, Map<String, String> parts) throws IOException {
    Path file = ROOT.resolve(page);
    String text = Files.readString(file);
    String filled = text;
    for (Map.Entry<String, String> part : parts.entrySet()) {
      String begin = "<!-- " + part.getKey() + " -->\n";
      assertThat(filled).contains(begin);
      filled =
          filled.replaceAll(
              "(?s)" + begin + ".*?<!-- end -->",
              Matcher.quoteReplacement(begin + part.getValue() + "<!-- end -->"));
    }
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(file, filled);
    }
    List<String> expected = filled.lines().toList();
    assertThat(Files.readAllLines(file)).containsExactlyElementsOf(expected);
  }
}
