package dev.purgatory.cli.qualify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rows of the versions with which the drop-in was qualified, and their table on the page for
 * operators.
 */
public final class Rows {
  private static final Pattern TABLE =
      Pattern.compile("(?<=<!-- qualified -->\n).*?(?=<!-- end -->)", Pattern.DOTALL);

  private final Path file;
  private final Path page;

  /**
   * Describes the files.
   *
   * @param home the root of the checkout
   */
  public Rows(Path home) {
    file = home.resolve("docs/operators/qualified.csv");
    page = home.resolve("docs/operators/kafka-operators.md");
  }

  /**
   * Adds a row, or replaces the row of the same version, and updates the table.
   *
   * @param cells the cells, without commas; the first one is the version
   */
  public void put(List<String> cells) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    String header = lines.remove(0);
    lines.removeIf(line -> line.startsWith(cells.get(0) + ","));
    lines.add(String.join(",", cells));
    lines.sort(null);
    lines.add(0, header);
    Files.write(file, lines);
    String table = Matcher.quoteReplacement(table(lines));
    Files.writeString(page, TABLE.matcher(Files.readString(page)).replaceFirst(table));
  }

  private static String table(List<String> lines) {
    StringBuilder table = new StringBuilder();
    for (String line : lines) {
      String row = "| " + line.replace(",", " | ") + " |\n";
      table.append(row);
      if (table.length() == row.length()) {
        table.append(row.replaceAll("[^|\n]+", " --- "));
      }
    }
    return table.toString();
  }
}
