package dev.purgatory.kafka;

import static java.util.Objects.requireNonNull;

import com.yammer.metrics.core.MetricsRegistry;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** The classes of one Kafka release, loaded in isolation from the class path of the tests. */
public final class KafkaRelease implements AutoCloseable {
  /** The supported releases. The build copies their jars into one folder. */
  public static final List<String> VERSIONS = List.of("4.1.2", "4.2.2", "4.3.1", "4.4.0");

  private final URLClassLoader classes;

  private KafkaRelease(URLClassLoader classes) {
    this.classes = classes;
  }

  /**
   * Returns a class path with these classes.
   *
   * @param version one of {@link #VERSIONS}
   * @return the jars of the classes that the drop-in replaces, and those of Kafka's that they need
   */
  public static List<String> classPath(String version) {
    return Stream.of("kafka-server-common", "kafka-clients")
        .map(artifact -> path(artifact, version).toString())
        .toList();
  }

  static KafkaRelease open(String version) {
    URL[] urls = {
      jar("kafka-server-common", version),
      jar("kafka-clients", version),
      originOf(MetricsRegistry.class),
      originOf(Logger.class),
    };
    return new KafkaRelease(new URLClassLoader(urls, ClassLoader.getPlatformClassLoader()));
  }

  Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, false, classes);
  }

  boolean has(String className) {
    try {
      load(className);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    classes.close();
  }

  private static URL originOf(Class<?> loaded) {
    return requireNonNull(loaded.getProtectionDomain().getCodeSource().getLocation());
  }

  private static URL jar(String artifact, String version) {
    Path jar = path(artifact, version);
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(jar.toString(), e);
    }
  }

  private static Path path(String artifact, String version) {
    Path folder = Path.of(System.getProperty("purgatory.kafka-jars"));
    return folder.resolve(artifact + "-" + version + ".jar");
  }
}
