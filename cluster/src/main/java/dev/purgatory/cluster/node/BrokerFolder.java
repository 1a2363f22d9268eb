package dev.purgatory.cluster.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * A folder with the data of one broker, to be used by one process at a time. A file in it says
 * whose it is, and the lock on that file who uses it.
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
   * Opens a folder, or creates it in a folder that exists.
   *
   * @param folder an earlier broker's folder, an empty one, or a new one
   * @throws IllegalArgumentException when it cannot be used; the message is one line for the user
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
      throw new IllegalArgumentException("there is no folder " + parent);
    }
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw new IllegalArgumentException(path + " is not a folder");
    }
    if (Files.exists(path) && !isEmpty(path) && !Files.exists(path.resolve(MARKER))) {
      throw new IllegalArgumentException(path + " holds other files already");
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
      // This process itself has it: used as much as by another one.
    }
    marker.close();
    throw new IllegalArgumentException(path + " is in use by another broker");
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /**
   * Lets others use the folder.
   *
   * @throws IOException when the lock cannot be given back
   */
  @Override
  public void close() throws IOException {
    marker.close();
  }
}
