package dev.purgatory.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each jar contains its licences. */
class LicenceTest {

  @ParameterizedTest
  @MethodSource("dev.purgatory.published.PublishedJar#all")
  void jar_hasTheLicence_andTheNotice(PublishedJar jar) throws IOException {
    for (String name : new String[] {"LICENSE", "NOTICE"}) {
      assertThat(text(jar, "META-INF/" + name))
          .isEqualTo(Files.readString(Path.of("..", name), StandardCharsets.UTF_8));
    }
  }

  /** Of a licence of another library, nobody must believe that it is that of the jar. */
  @ParameterizedTest
  @MethodSource("dev.purgatory.published.PublishedJar#all")
  void jar_hasNoOtherLicence_withoutAName(PublishedJar jar) throws IOException {
    try (JarFile file = new JarFile(jar.file().toFile())) {
      assertThat(file.stream().map(ZipEntry::getName).map(name -> name.replaceAll(".*/", "")))
          .noneMatch(name -> name.matches("(?i)(licen[cs]e|notice|copying)(\\.\\w+)"));
    }
  }

  @Test
  void dropIn_hasTheLicenceOfHdrHistogram() throws IOException {
    PublishedJar dropIn = PublishedJar.named("purgatory-kafka");
    assertThat(text(dropIn, "META-INF/LICENSE-HdrHistogram.txt"))
        .contains("Gil Tene", "BSD 2-Clause License");
    assertThat(text(dropIn, "META-INF/NOTICE")).contains("HdrHistogram");
  }

  private static String text(PublishedJar jar, String name) throws IOException {
    try (JarFile file = new JarFile(jar.file().toFile())) {
      ZipEntry entry = file.getEntry(name);
      assertThat(entry).as("%s of %s", name, jar).isNotNull();
      try (InputStream in = file.getInputStream(entry)) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }
}
