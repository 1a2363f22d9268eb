package dev.purgatory.cluster.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class IncarnationsTest {
  private final Incarnations counts = new Incarnations();

  private static NodeSample stock(long expired, long watched) {
    return new NodeSample(null, expired, watched, Duration.ofSeconds(expired));
  }

  private static NodeSample dropIn(long held, long pending, long heldMicros) {
    Histogram times = new Histogram(3);
    times.recordValue(heldMicros);
    PurgatoryCounts stats =
        new PurgatoryCounts(held, held - pending, 0, 0, pending, 0, times, new Histogram(3));
    return new NodeSample(stats, 0, 0, Duration.ZERO);
  }

  private PurgatoryCounts purgatories() {
    return Objects.requireNonNull(counts.total().purgatories());
  }

  @Test
  void isZeroWithoutSamples() {
    assertThat(counts.total()).isEqualTo(NodeSample.none());
  }

  @Test
  void lastSampleOfAProcessCounts() {
    counts.update(7, stock(1, 10));
    counts.update(7, stock(3, 20));
    assertThat(counts.total()).isEqualTo(stock(3, 20));
  }

  @Test
  void addsUpProcessesExceptForEntriesWatchedByEndedOnes() {
    counts.update(7, stock(3, 20));
    counts.update(8, stock(1, 5));
    counts.update(8, stock(2, 6));
    assertThat(counts.total()).isEqualTo(stock(5, 6));
  }

  @Test
  void mergesPurgatoriesOfAllProcesses() {
    counts.update(7, dropIn(10, 4, 1_000));
    counts.update(8, dropIn(5, 2, 3_000));
    assertThat(purgatories().held()).isEqualTo(15);
    assertThat(purgatories().completed()).isEqualTo(9);
    assertThat(purgatories().pending()).isEqualTo(2);
    assertThat(purgatories().unaccounted()).isEqualTo(4);
    assertThat(purgatories().heldMicros().getTotalCount()).isEqualTo(2);
    assertThat(purgatories().heldMicros().getValueAtPercentile(100)).isBetween(3_000L, 3_030L);
  }

  @Test
  void readingTheTotalDoesNotChangeIt() {
    counts.update(7, dropIn(10, 4, 1_000));
    counts.update(8, dropIn(5, 2, 3_000));
    counts.total();
    assertThat(purgatories().heldMicros().getTotalCount()).isEqualTo(2);
  }
}
