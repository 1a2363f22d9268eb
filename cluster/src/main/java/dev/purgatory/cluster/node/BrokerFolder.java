package dev.purgatory.cluster.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * A folder with the data of one broker, used by one process at a time. A marker file indicates that
 * the folder belongs to a broker; a lock on that file indicates that the folder is in use.
 */
public final class BrokerFolder implements AutoCloseable {
  private static final String MARKER = ".purgatory-broker";

  private final Path path;
  private final FileChannel marker;

  private BrokerFolder(Path path, FileChannel marker) {
    this.path = path;
    this.marker = marker;
  }

  /**
   * Opens and locks a folder. Creates the folder if necessary, but not its parent.
   *
   * @param folder the folder of an earlier broker, an empty folder, or one that does not exist
   * @throws IllegalArgumentException if the folder cannot be used; the message is one line for the
   *     user
   */
  public static BrokerFolder open(Path folder) {
    Path path = folder.toAbsolutePath().normalize();
    try {
      check(path);
      Files.createDirectories(path);
      return new BrokerFolder(path, lock(path));
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot use " + path + ": " + e.getMessage(), e);
    }
  }

  private static void check(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw new IllegalArgumentException("no such folder: " + parent);
    }
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IllegalArgumentException(path + " is not a folder");
    }
    if (Files.exists(path) && !isEmpty(path) && !Files.exists(path.resolve(MARKER))) {
      throw new IllegalArgumentException(path + " contains other files");
    }
  }

  private static boolean isEmpty(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.findAny().isEmpty();
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel marker =
        FileChannel.open(path.resolve(MARKER), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (marker.tryLock() != null) {
        return marker;
      }
    } catch (OverlappingFileLockException e) {
      // This process already holds the lock.
    }
    marker.close();
    throw new IllegalArgumentException(path + " is in use by another broker");
  }

  /** Returns the absolute path of the folder. */
  public Path path() {
    return path;
  }

  /**
   * Unlocks the folder.
   *
   * @throws IOException if the lock cannot be released
   */
  @Override
  public void close() throws IOException {
    marker.close();
  }
}
