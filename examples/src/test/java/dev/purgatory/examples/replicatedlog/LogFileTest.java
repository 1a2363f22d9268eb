package dev.purgatory.examples.replicatedlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void file() {
    file = directory.resolve("log");
  }

  @Test
  void entries_areThereAfterReopening() throws Exception {
    LogFile log = LogFile.open(file);
    assertThat(log.append("a")).isEqualTo(1);
    assertThat(log.append("")).isEqualTo(2);
    assertThat(log.append("grün")).isEqualTo(3);
    LogFile reopened = LogFile.open(file);
    assertThat(reopened.end()).isEqualTo(3);
    assertThat(reopened.read(0, 10)).containsExactly("a", "", "grün");
    assertThat(reopened.read(1, 1)).containsExactly("");
    assertThat(reopened.read(3, 1)).isEmpty();
  }

  /** The process died while it wrote; in one case, in the middle of a character. */
  @Test
  void unfinishedEntry_isRemoved() throws Exception {
    byte[] bytes = "a\ngrü".getBytes(StandardCharsets.UTF_8);
    for (int length : List.of(bytes.length, bytes.length - 1)) {
      Files.write(file, Arrays.copyOf(bytes, length));
      LogFile log = LogFile.open(file);
      assertThat(log.append("b")).isEqualTo(2);
      assertThat(Files.readAllLines(file)).containsExactly("a", "b");
    }
  }

  @Test
  void entryOfTwoLines_isRejected() throws Exception {
    LogFile log = LogFile.open(file);
    assertThatThrownBy(() -> log.append("a\nb")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> log.append("a\rb")).isInstanceOf(IllegalArgumentException.class);
    assertThat(log.end()).isZero();
    assertThat(Files.readString(file)).isEmpty();
  }
}
