package dev.purgatory.cli.bench;

import java.nio.file.Files;
import java.nio.file.Path;

/** Checks whether results can be written, before a long run. */
public final class OutputFiles {
  private OutputFiles() {}

  /**
   * Checks that a file can be written.
   *
   * @param file the file, which may exist
   * @param replace whether an existing file may be replaced
   * @return the file
   * @throws IllegalArgumentException if it cannot be written; the message is one line
   */
  public static Path check(Path file, boolean replace) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null) {
      throw new IllegalArgumentException(file + " is a folder");
    }
    if (Files.exists(file) && !replace) {
      throw new IllegalArgumentException(file + " already exists; use --overwrite to replace it");
    }
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("no such folder: " + folder);
    }
    if (!Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new IllegalArgumentException("cannot write " + file);
    }
    return file;
  }

  /**
   * Checks that charts can be written to a folder, which may have to be created in an existing one.
   *
   * @param folder the folder
   * @param replace whether existing charts may be replaced
   * @throws IllegalArgumentException if they cannot be written; the message is one line
   */
  public static void checkFolder(Path folder, boolean replace) {
    Path parent = folder.toAbsolutePath().getParent();
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(folder + " is not a folder");
    }
    if (!Files.exists(folder) && (parent == null || !Files.isDirectory(parent))) {
      throw new IllegalArgumentException("no such folder: " + parent);
    }
    Path written = Files.exists(folder) || parent == null ? folder : parent;
    if (!Files.isWritable(written)) {
      throw new IllegalArgumentException("cannot write to " + written);
    }
    String[] charts = folder.toFile().list((unused, name) -> name.endsWith(".svg"));
    if (!replace && charts != null && charts.length > 0) {
      throw new IllegalArgumentException(
          folder + " already has charts; use --overwrite to replace them");
    }
  }
}
