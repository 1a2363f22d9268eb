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
  void closesTheNewestFirstAndAllOfThem() {
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.add(() -> closed.add("first"));
      cleanup.add(() -> closed.add("second"));
      assertThat(Cleanup.isProcessEnding()).isFalse();
    }
    assertThat(closed).containsExactly("second", "first");
  }

  @Test
  void closesAtOnceWhatComesTooLate() {
    Cleanup cleanup = new Cleanup();
    cleanup.close();
    cleanup.add(() -> closed.add("late"));
    assertThat(closed).containsExactly("late");
  }

  @Test
  void deletesTemporaryFoldersUnlessTheyAreKept() throws IOException {
    TemporaryFolder gone = new TemporaryFolder("purgatory-test-");
    TemporaryFolder kept = new TemporaryFolder("purgatory-test-");
    Files.createFile(Files.createDirectory(gone.path().resolve("below")).resolve("file"));
    kept.keep();
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.add(gone);
      cleanup.add(kept);
    }
    assertThat(gone.path()).doesNotExist();
    assertThat(kept.path()).isEmptyDirectory();
    Files.delete(kept.path());
  }
}
