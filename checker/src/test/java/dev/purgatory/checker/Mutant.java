package dev.purgatory.checker;

import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.Patch;
import com.github.difflib.patch.PatchFailedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A mistake that is made in the timer or the core: a file below {@code src/test/mistakes}. Its
 * first line says what the mistake is, its second line which stage of {@link MutantMain} catches
 * it. A patch follows. Its place is found by the lines around it, wherever they have moved in the
 * file.
 *
 * @param name what the mistake is
 * @param stage the stage that catches it
 * @param file the source file that is changed
 * @param patch the change
 */
record Mutant(String name, String stage, Path file, Patch<String> patch) {
  private static final Path MISTAKES = Path.of("src/test/mistakes");
  private static final Path ROOT = Path.of("..");
  private static final String STAGE = "Caught by: ";
  private static final String CHANGED = "+++ b/";

  /** How many of the three lines of context before and after a change may differ. */
  private static final int FUZZ = 2;

  /** All mistakes, in the order of their file names. */
  static final List<Mutant> ALL = all();

  private static List<Mutant> all() {
    try (Stream<Path> files = Files.list(MISTAKES)) {
      return files.sorted().map(Mutant::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Mutant read(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      String stage = lines.get(1);
      String changed = lines.stream().filter(line -> line.startsWith(CHANGED)).findFirst().get();
      if (!stage.startsWith(STAGE)) {
        throw new IllegalArgumentException(file + " does not say what catches the mistake");
      }
      return new Mutant(
          lines.get(0),
          stage.substring(STAGE.length()),
          ROOT.resolve(changed.substring(CHANGED.length())),
          UnifiedDiffUtils.parseUnifiedDiff(lines.subList(2, lines.size())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the source with the mistake; throws an exception if its place is not found. */
  List<String> made() throws IOException, PatchFailedException {
    return patch.applyFuzzy(Files.readAllLines(file), FUZZ);
  }
}
