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
}
