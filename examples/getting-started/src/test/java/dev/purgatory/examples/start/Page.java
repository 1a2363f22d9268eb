package dev.purgatory.examples.start;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a page in docs/use asks its readers to do.
 *
 * @param files the files to create, by their names: fenced text after a name and a colon
 * @param commands the commands to run, in order
 * @param outputs what they print, in order
 */
record Page(Map<String, String> files, List<String> commands, List<String> outputs) {
  static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

  private static final Pattern FILE =
      Pattern.compile("`([^`\\s]+)`:\n\n```\\w+\n(.*?)```", Pattern.DOTALL);

  static Page read(String name) throws IOException {
    String text = Files.readString(ROOT.resolve("docs/use").resolve(name));
    Map<String, String> files = new LinkedHashMap<>();
    Matcher file = FILE.matcher(text);
    while (file.find()) {
      files.put(file.group(1), file.group(2));
    }
    return new Page(files, lines(text, "sh"), lines(text, "text"));
  }

  private static List<String> lines(String text, String language) {
    Pattern block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL);
    return block.matcher(text).results().flatMap(found -> found.group(1).lines()).toList();
  }

  /** Creates the files in a folder. */
  void createFiles(Path folder) {
    files.forEach(
        (name, text) -> {
          try {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
