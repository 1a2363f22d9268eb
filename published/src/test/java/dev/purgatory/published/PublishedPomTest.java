package dev.purgatory.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the POMs that users get. */
class PublishedPomTest {

  @ParameterizedTest
  @MethodSource("poms")
  void pom_hasWhatMavenCentralRequires(Path file) throws IOException {
    Pom pom = Pom.read(file);
    for (String path :
        List.of(
            "groupId",
            "artifactId",
            "version",
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url",
            "issueManagement/url")) {
      assertThat(pom.texts(path)).as(path).hasSize(1).allSatisfy(t -> assertThat(t).isNotBlank());
    }
    assertThat(pom.texts("url")).isEqualTo(pom.texts("scm/url"));
  }

  /** Otherwise users would have to download the build and the versions of its tools. */
  @ParameterizedTest
  @MethodSource("poms")
  void pom_dependsOnNothingOfTheBuild(Path file) throws IOException {
    Pom pom = Pom.read(file);
    for (String path : List.of("parent", "build", "profiles", "repositories", "modules")) {
      assertThat(pom.texts(path)).as(path).isEmpty();
    }
    assertThat(pom.texts("dependencies/dependency[scope='test']")).isEmpty();
    assertThat(pom.text()).doesNotContain("${", "purgatory-parent");
  }

  /** Annotations and JUnit are optional, so users do not get them. */
  @ParameterizedTest
  @CsvSource({
    "purgatory, purgatory-timer",
    "purgatory-answers, purgatory kafka-clients",
    "purgatory-console, purgatory jackson-jr-objects",
    "purgatory-executor, purgatory-timer",
    "purgatory-kafka, ''",
    "purgatory-micrometer, purgatory micrometer-core",
    "purgatory-netty, purgatory-timer netty-common",
    "purgatory-spring-boot-starter, purgatory purgatory-micrometer spring-boot-autoconfigure",
    "purgatory-testkit, purgatory",
    "purgatory-timer, ''"
  })
  void users_getOnlyTheseDependencies(String artifactId, String dependencies) throws IOException {
    Pom pom = PublishedJar.named(artifactId).pom();
    assertThat(
            pom.texts(
                "dependencies/dependency[not(optional='true') and not(scope='provided')]"
                    + "/artifactId"))
        .containsExactlyInAnyOrder(words(dependencies));
  }

  @ParameterizedTest
  @MethodSource("dev.purgatory.published.PublishedJar#all")
  void jar_hasThePublishedPom(PublishedJar jar) throws IOException {
    assertThat(jar.pom().texts("parent")).isEmpty();
    assertThat(jar.pom().texts("artifactId")).containsExactly(jar.artifactId());
  }

  @Test
  void bom_listsEveryPublishedArtifact_inOneVersion() throws IOException {
    Pom bom = Pom.read(PublishedJar.BOM);
    List<String> published =
        poms()
            .filter(file -> !file.equals(PublishedJar.BOM))
            .map(PublishedPomTest::artifactId)
            .toList();
    assertThat(published).isNotEmpty();
    assertThat(bom.texts("dependencyManagement//artifactId"))
        .containsExactlyInAnyOrderElementsOf(published);
    assertThat(bom.texts("dependencyManagement//version"))
        .allMatch(bom.texts("version").get(0)::equals);
  }

  private static String artifactId(Path file) {
    try {
      return Pom.read(file).texts("artifactId").get(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String[] words(String text) {
    return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toArray(String[]::new);
  }

  /** Returns the POMs of all modules that are published. */
  static Stream<Path> poms() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return modules
          .map(module -> module.resolve(PublishedJar.BOM.subpath(2, 4)))
          .filter(Files::exists)
          .sorted()
          .toList()
          .stream();
    }
  }
}
