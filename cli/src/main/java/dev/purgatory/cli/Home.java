package dev.purgatory.cli;

import dev.purgatory.cluster.node.NodeFailure;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder of the launcher, which contains the jars that the build creates.
 *
 * @param directory the root of the checkout
 */
record Home(Path directory) {
  /** Returns the folder that the launcher sets; by default, the working directory. */
  static Home current() {
    return new Home(Path.of(System.getProperty("purgatory.home", "")).toAbsolutePath().normalize());
  }

  /** Returns the class path of stock Kafka. */
  String stockClassPath() {
    return directory.resolve("cluster/target/lib") + File.separator + "*";
  }

  /**
   * Returns the class path of Kafka with the drop-in, which comes first to take precedence.
   *
   * @throws NodeFailure if the drop-in has not been built
   */
  String dropInClassPath() {
    return dropIn() + File.pathSeparator + stockClassPath();
  }

  /** The system property {@code purgatory.dropin} selects another jar. */
  Path dropIn() {
    Path jar = directory.resolve("kafka/target/purgatory-kafka.jar");
    String other = System.getProperty("purgatory.dropin", "");
    Path chosen = other.isEmpty() ? jar : Path.of(other).toAbsolutePath();
    if (!Files.isRegularFile(chosen)) {
      throw new NodeFailure("the drop-in has not been built: " + chosen);
    }
    return chosen;
  }
}
