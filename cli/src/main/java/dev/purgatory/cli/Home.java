package dev.purgatory.cli;

import dev.purgatory.cluster.node.NodeFailure;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder that the launcher lies in, and where the build puts what the nodes run.
 *
 * @param directory the root of the checkout
 */
record Home(Path directory) {
  /** As told by the launcher; the working directory when nothing was told. */
  static Home current() {
    return new Home(Path.of(System.getProperty("purgatory.home", "")).toAbsolutePath().normalize());
  }

  /** The class path of Kafka as released. */
  String stockClassPath() {
    return directory.resolve("cluster/target/lib") + File.separator + "*";
  }

  /**
   * The class path of Kafka with the drop-in before it: class loading takes the first that it
   * finds.
   *
   * @throws NodeFailure when the drop-in was not built
   */
  String dropInClassPath() {
    return dropIn() + File.pathSeparator + stockClassPath();
  }

  /** The system property {@code purgatory.dropin} names another jar, to try one. */
  private Path dropIn() {
    Path jar = directory.resolve("kafka/target/purgatory-kafka.jar");
    String other = System.getProperty("purgatory.dropin", "");
    Path chosen = other.isEmpty() ? jar : Path.of(other).toAbsolutePath();
    if (!Files.isRegularFile(chosen)) {
      throw new NodeFailure("the drop-in is not there: " + chosen);
    }
    return chosen;
  }
}
