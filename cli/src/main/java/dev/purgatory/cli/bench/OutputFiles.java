package dev.purgatory.cli.bench;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out before a long run whether its results can be written. */
public final class OutputFiles {
  private OutputFiles() {}

  /**
   * Checks that a file can be written.
   *
   * @param file which may exist
   * @param replace whether an existing file may be replaced
   * @throws IllegalArgumentException in one line, why it cannot
   */
  public static void check(Path file, boolean replace) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null) {
      throw new IllegalArgumentException(file + " is a folder");
    }
    if (Files.exists(file) && !replace) {
      throw new IllegalArgumentException(file + " exists; --overwrite replaces it");
    }
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("no such folder: " + folder);
    }
    if (!Files.isWritable(Files.exists(file) ? file : folder)) {
      throw new IllegalArgumentException("cannot write " + file);
    }
  }

  /**
   * Checks that a folder is there, or can be made in one that is.
   *
   * @throws IllegalArgumentException in one line, why it cannot
   */
  public static void checkFolder(Path folder) {
    Path parent = folder.toAbsolutePath().getParent();
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(folder + " is not a folder");
    }
    if (!Files.exists(folder) && (parent == null || !Files.isDirectory(parent))) {
      throw new IllegalArgumentException("no such folder: " + parent);
    }
    Path written = Files.exists(folder) || parent == null ? folder : parent;
    if (!Files.isWritable(written)) {
      throw new IllegalArgumentException("cannot write into " + written);
    }
  }
}
