package dev.purgatory.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AlignedRowsTest {
  @Test
  void alignsColumns() {
    String table =
        AlignedRows.of(List.of(List.of("a long title"), List.of("ab", "1"), List.of("c", "22")));
    assertThat(table.lines()).containsExactly("a long title", "ab    1", "c    22");
  }
}
