package dev.purgatory.cli.qualify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.cluster.node.NodeFailure;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolsTest {
  private static final Path JAR = Path.of("../kafka/target/purgatory-kafka.jar").toAbsolutePath();
  private static final Path KAFKA = Path.of("../cluster/target/lib").toAbsolutePath();

  @TempDir private Path work;

  private Properties linkage(Path jar) throws Exception {
    return new Tools(work, work)
        .java(
            "linkage",
            jar + File.pathSeparator + KAFKA + File.separator + "*",
            "dev.purgatory.kafka.Linkage");
  }

  @Test
  void theDropInHasWhatBrokersUse() throws Exception {
    Properties result = linkage(JAR);
    assertThat(result.getProperty("version")).startsWith("4.");
    assertThat(Integer.parseInt(result.getProperty("classes"))).isGreaterThan(20);
    assertThat(Integer.parseInt(result.getProperty("uses"))).isGreaterThan(100);
  }

  @Test
  void aJarWithAChangedSignature_isRefused_andTheReasonNamesTheClass() throws Exception {
    Path changed = work.resolve("changed.jar");
    rename("checkAndComplete", "checkAndComplet_", changed);
    assertThatThrownBy(() -> linkage(changed))
        .isInstanceOf(NodeFailure.class)
        .hasMessageContainingAll(
            "does not fit",
            "org.apache.kafka.server.purgatory.DelayedOperationPurgatory",
            "the member checkAndComplete(");
  }

  /** Copies the drop-in's jar, and renames a method in all classes that replace Kafka's. */
  private static void rename(String from, String to, Path copy) throws IOException {
    try (ZipFile jar = new ZipFile(JAR.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(copy))) {
      for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        byte[] bytes = jar.getInputStream(entry).readAllBytes();
        if (entry.getName().startsWith("org/apache/kafka/")) {
          String text = new String(bytes, StandardCharsets.ISO_8859_1).replace(from, to);
          bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        }
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(bytes);
        out.closeEntry();
      }
    }
  }
}
