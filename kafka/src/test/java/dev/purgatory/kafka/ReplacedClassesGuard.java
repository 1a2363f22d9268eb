package dev.purgatory.kafka;

import java.net.URISyntaxException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails every test class, including Kafka's own, that would run on classes other than those under
 * test. The build registers this extension and sets where the classes must come from.
 */
public final class ReplacedClassesGuard implements BeforeAllCallback {
  /** The last part of the path of the jar or folder that the replaced classes must come from. */
  static final String EXPECTED_ORIGIN = System.getProperty("purgatory.origin");

  private static volatile boolean active;

  /** Returns whether the guard has run in this JVM. */
  static boolean isActive() {
    return active;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    for (String name : Fit.REPLACED) {
      String origin = originOf(name);
      if (!origin.endsWith(EXPECTED_ORIGIN)) {
        throw new IllegalStateException(
            name + " comes from " + origin + ", not from " + EXPECTED_ORIGIN);
      }
    }
    active = true;
  }

  private static String originOf(String name) throws ClassNotFoundException, URISyntaxException {
    Class<?> loaded = Class.forName(name, false, ReplacedClassesGuard.class.getClassLoader());
    String path = loaded.getProtectionDomain().getCodeSource().getLocation().toURI().getPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }
}
