package dev.purgatory.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerFolderTest {
  @TempDir private Path parent;

  @Test
  void createsTheFolderAndCanReopenIt() throws IOException {
    Path path = parent.resolve("data");
    BrokerFolder.open(path).close();
    Files.createFile(path.resolve("broker.log"));
    try (BrokerFolder again = BrokerFolder.open(path)) {
      assertThat(again.path()).isEqualTo(path);
    }
  }

  @Test
  void acceptsAnEmptyFolder() throws IOException {
    try (BrokerFolder folder = BrokerFolder.open(parent)) {
      assertThat(folder.path()).isEqualTo(parent);
    }
  }

  @Test
  void rejectsAFolderInUse() throws IOException {
    try (BrokerFolder user = BrokerFolder.open(parent)) {
      assertThatThrownBy(() -> BrokerFolder.open(user.path()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("in use");
    }
  }

  @Test
  void rejectsAFolderWithOtherFiles() throws IOException {
    Files.createFile(parent.resolve("precious"));
    assertThatThrownBy(() -> BrokerFolder.open(parent))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("other files");
  }

  @Test
  void rejectsAFile() throws IOException {
    Path file = Files.createFile(parent.resolve("file"));
    assertThatThrownBy(() -> BrokerFolder.open(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a folder");
  }

  @Test
  void doesNotCreateParentFolders() {
    assertThatThrownBy(() -> BrokerFolder.open(parent.resolve("one/two")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no such folder");
    assertThat(parent).isEmptyDirectory();
  }
}
