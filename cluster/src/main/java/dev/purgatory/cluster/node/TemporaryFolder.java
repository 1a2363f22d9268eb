package dev.purgatory.cluster.node;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A folder that goes away with all that is in it, unless somebody should still look into it. */
public final class TemporaryFolder implements AutoCloseable {
  private final Path path;

  private volatile boolean kept;

  /**
   * Creates the folder where the system has its temporary files.
   *
   * @param prefix how its name begins
   * @throws NodeFailure when it cannot be created
   */
  public TemporaryFolder(String prefix) {
    try {
      path = Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new NodeFailure("cannot create a temporary folder: " + e.getMessage(), e);
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** Leaves the folder where it is, for people to look into. */
  public void keep() {
    kept = true;
  }

  /**
   * Leaves the folder where it is if people will want to look into it after a failure. A node that
   * was killed because this process ends is no failure.
   *
   * @param failure what went wrong with a node whose log is in the folder
   */
  public void keepFor(NodeFailure failure) {
    if (failure.isInLog() && !Cleanup.isProcessEnding()) {
      keep();
    }
  }

  /**
   * Deletes the folder, unless it is to be kept. No process may be writing to it.
   *
   * @throws IOException when something cannot be deleted
   */
  @Override
  public void close() throws IOException {
    if (kept) {
      return;
    }
    try {
      Files.walkFileTree(path, new Deletion());
    } catch (NoSuchFileException e) {
      // Somebody was faster; gone is gone.
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
