package dev.purgatory.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleanupTest {
  private final List<String> closed = new ArrayList<>();

  @Test
  void closesAllResourcesInReverseOrder() {
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.add(() -> closed.add("first"));
      cleanup.add(() -> closed.add("second"));
      assertThat(Cleanup.isProcessEnding()).isFalse();
    }
    assertThat(closed).containsExactly("second", "first");
  }

  @Test
  void closesResourcesThatAreAddedTooLate() {
    Cleanup cleanup = new Cleanup();
    cleanup.close();
    cleanup.add(() -> closed.add("late"));
    assertThat(closed).containsExactly("late");
  }

  @Test
  void deletesTemporaryFoldersUnlessTheyAreKept() throws IOException {
    TemporaryFolder deleted = new TemporaryFolder("purgatory-test-");
    TemporaryFolder kept = new TemporaryFolder("purgatory-test-");
    Files.createFile(Files.createDirectory(deleted.path().resolve("subfolder")).resolve("file"));
    kept.keep();
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.add(deleted);
      cleanup.add(kept);
    }
    assertThat(deleted.path()).doesNotExist();
    assertThat(kept.path()).isEmptyDirectory();
    Files.delete(kept.path());
  }
}
