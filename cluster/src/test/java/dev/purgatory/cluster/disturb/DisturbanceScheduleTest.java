package dev.purgatory.cluster.disturb;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DisturbanceScheduleTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int NODES = 3;

  private final List<DisturbanceSchedule.Entry> entries = DisturbanceSchedule.of(1, HOUR, NODES);

  @Test
  void dependsOnTheSeedOnly() {
    assertThat(DisturbanceSchedule.of(1, HOUR, NODES)).isEqualTo(entries);
    assertThat(DisturbanceSchedule.of(2, HOUR, NODES)).isNotEqualTo(entries);
  }

  @Test
  void disturbsEveryNodeInEveryWay() {
    assertThat(entries)
        .extracting(entry -> entry.disturbance().name() + entry.node())
        .contains("KILL0", "KILL1", "KILL2", "PAUSE0", "PAUSE1", "PAUSE2")
        .contains("CUT_OFF0", "CUT_OFF1", "CUT_OFF2");
  }

  @Test
  void eachDisturbanceEndsBeforeTheNextBegins() {
    Duration before = Duration.ZERO;
    for (DisturbanceSchedule.Entry entry : entries) {
      assertThat(entry.begin()).isGreaterThan(before).isLessThan(entry.end());
      before = entry.end();
    }
    assertThat(before).isLessThanOrEqualTo(HOUR);
  }

  @Test
  void longerScheduleBeginsLikeAShorterOne() {
    List<DisturbanceSchedule.Entry> longer = DisturbanceSchedule.of(1, HOUR.multipliedBy(2), NODES);
    int whole = entries.size() - 1;
    assertThat(longer.subList(0, whole)).isEqualTo(entries.subList(0, whole));
  }
}
