package dev.purgatory.cluster.node;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A temporary folder, deleted with its contents when it is closed unless it is to be kept. */
public final class TemporaryFolder implements AutoCloseable {
  private final Path path;

  private volatile boolean kept;

  /**
   * Creates the folder among the system's temporary files.
   *
   * @param prefix the prefix of its name
   * @throws NodeFailure if it cannot be created
   */
  public TemporaryFolder(String prefix) {
    try {
      path = Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new NodeFailure("cannot create a temporary folder: " + e.getMessage(), e);
    }
  }

  /** Returns the path of the folder. */
  public Path path() {
    return path;
  }

  /** Keeps the folder, for the user to examine. */
  public void keep() {
    kept = true;
  }

  /**
   * Keeps the folder if a failure refers to a log in it. Does nothing while this process shuts
   * down, which kills the nodes.
   *
   * @param failure the failure of a node whose files are in the folder
   */
  public void keepFor(NodeFailure failure) {
    if (failure.isInLog() && !Cleanup.isProcessEnding()) {
      keep();
    }
  }

  /**
   * Deletes the folder, unless it is to be kept. No process may be writing to it.
   *
   * @throws IOException if a file cannot be deleted
   */
  @Override
  public void close() throws IOException {
    if (kept) {
      return;
    }
    try {
      Files.walkFileTree(path, new Deletion());
    } catch (NoSuchFileException e) {
      // Deleted already.
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
