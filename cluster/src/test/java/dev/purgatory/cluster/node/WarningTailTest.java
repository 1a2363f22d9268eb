package dev.purgatory.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarningTailTest {
  @TempDir private Path folder;

  @Test
  void reportsTheFirstNewWarningAndTheNumberOfOthers() throws IOException {
    Path log = Files.writeString(folder.resolve("log"), "[1] WARN old\n");
    List<String> lines = new ArrayList<>();
    try (WarningTail tail = new WarningTail(log, lines::add)) {
      String news = "[2] INFO fine\n[3] ERROR bad\n  at Stack\n[4] WARN odd\n";
      Files.writeString(log, news, StandardOpenOption.APPEND);
      tail.report();
      tail.report();
    }
    assertThat(lines).containsExactly("[3] ERROR bad (and 1 more in the log)");
  }

  @Test
  void reportsALineThatComesInParts() throws IOException {
    Path log = Files.writeString(folder.resolve("log"), "");
    List<String> lines = new ArrayList<>();
    try (WarningTail tail = new WarningTail(log, lines::add)) {
      Files.writeString(log, "[1] INFO fine\n[2] WAR", StandardOpenOption.APPEND);
      tail.report();
      Files.writeString(log, "N odd\n", StandardOpenOption.APPEND);
      tail.report();
    }
    assertThat(lines).containsExactly("[2] WARN odd");
  }
}
