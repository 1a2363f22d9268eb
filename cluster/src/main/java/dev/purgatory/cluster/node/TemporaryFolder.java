package dev.purgatory.cluster.node;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A temporary folder that is deleted with its contents when it is closed, unless it is kept. */
public final class TemporaryFolder implements AutoCloseable {
  private final Path path;

  private volatile boolean kept;

  /**
   * Creates a folder in the system's folder for temporary files.
   *
   * @param prefix the prefix of the name
   * @throws NodeFailure if the folder cannot be created
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

  /** Keeps the folder, so that the user can examine it. */
  public void keep() {
    kept = true;
  }

  /**
   * Keeps the folder if a failure refers to a log in it. Has no effect while this process is
   * shutting down, since that kills the nodes.
   *
   * @param failure the failure of a node whose files are in the folder
   */
  public void keepFor(NodeFailure failure) {
    if (failure.isInLog() && !Cleanup.isProcessEnding()) {
      keep();
    }
  }

  /**
   * Deletes the folder unless it is kept. No process may be writing to it.
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
      // The folder has already been deleted.
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
