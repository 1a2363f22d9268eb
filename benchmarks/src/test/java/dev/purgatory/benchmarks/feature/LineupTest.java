package dev.purgatory.benchmarks.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class LineupTest {
  @Test
  void namesAndColorsOfATaskAreDistinct() {
    for (Lineup<?> lineup :
        List.of(Lineup.NUMBERS, Lineup.REPLIES, Lineup.STAGE_TIMEOUTS, Lineup.SESSIONS)) {
      assertThat(lineup.rivals()).extracting(Rival::title).doesNotHaveDuplicates();
      assertThat(lineup.rivals()).extracting(Rival::rgb).doesNotHaveDuplicates();
    }
  }

  @Test
  void rejectsAnUnknownName() {
    assertThatThrownBy(() -> Lineup.REPLIES.start("maps"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown contender: maps");
  }
}
