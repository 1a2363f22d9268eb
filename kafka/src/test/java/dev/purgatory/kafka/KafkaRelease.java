package dev.purgatory.kafka;

import static java.util.Objects.requireNonNull;

import com.yammer.metrics.core.MetricsRegistry;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;

/** The classes of one Kafka release, loaded in isolation from the class path of the tests. */
final class KafkaRelease implements AutoCloseable {
  /** The supported releases. The build copies their jars into one folder. */
  static final List<String> VERSIONS = List.of("4.1.2", "4.2.1", "4.3.1", "4.4.0");

  private final URLClassLoader classes;

  private KafkaRelease(URLClassLoader classes) {
    this.classes = classes;
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
    Path folder = Path.of(System.getProperty("purgatory.kafka-jars"));
    Path jar = folder.resolve(artifact + "-" + version + ".jar");
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(jar.toString(), e);
    }
  }
}
