package dev.purgatory.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The jar of an artifact that the BOM lists.
 *
 * @param artifactId the name of the artifact
 * @param file the jar
 */
record PublishedJar(String artifactId, Path file) {
  static final Path BOM = Path.of("..", "bom", "target", "published-pom.xml");

  /** Returns the jars of all artifacts in the BOM. */
  static Stream<PublishedJar> all() throws IOException {
    return Pom.read(BOM).texts("dependencyManagement//artifactId").stream().map(PublishedJar::find);
  }

  static PublishedJar named(String artifactId) throws IOException {
    return all().filter(jar -> jar.artifactId().equals(artifactId)).findFirst().orElseThrow();
  }

  /** Returns the jars that are modules. The others are for programs, not for users' code. */
  static Stream<PublishedJar> libraries() throws IOException {
    return all().filter(jar -> jar.module() != null);
  }

  private static PublishedJar find(String artifactId) {
    try {
      List<URL> poms =
          Collections.list(PublishedJar.class.getClassLoader().getResources(pomPath(artifactId)));
      assertThat(poms).as("jars of " + artifactId).hasSize(1);
      JarURLConnection connection = (JarURLConnection) poms.get(0).openConnection();
      return new PublishedJar(artifactId, Path.of(connection.getJarFileURL().toURI()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pomPath(String artifactId) {
    return "META-INF/maven/dev.purgatory/" + artifactId + "/pom.xml";
  }

  Pom pom() throws IOException {
    try (JarFile jar = new JarFile(file.toFile());
        InputStream in = jar.getInputStream(jar.getEntry(pomPath(artifactId)))) {
      return Pom.read(in);
    }
  }

  /** Returns the module in the jar; null if it has no descriptor. */
  ModuleDescriptor module() {
    return ModuleFinder.of(file).findAll().stream()
        .map(found -> found.descriptor())
        .filter(descriptor -> !descriptor.isAutomatic())
        .findFirst()
        .orElse(null);
  }

  @Override
  public String toString() {
    return artifactId;
  }
}
