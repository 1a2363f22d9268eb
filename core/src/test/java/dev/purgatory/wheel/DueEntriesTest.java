package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DueEntriesTest {
  private record Due(TimerEntry entry, long number) {}

  private static final Comparator<Due> ORDER =
      Comparator.comparingLong((Due due) -> due.entry.due()).thenComparingLong(Due::number);

  private static class Entry extends TimerEntry {
    Entry(long deadline) {
      super(deadline);
    }

    @Override
    public void onTimeout() {
      deadline(100);
    }
  }

  private static Due due(long deadline, long number) {
    return new Due(new Entry(deadline), number);
  }

  private static DueEntries entries(List<Due> added) {
    DueEntries entries = new DueEntries();
    added.forEach(each -> entries.add(each.entry, each.number));
    return entries;
  }

  private static List<Due> contents(DueEntries entries) {
    List<Due> contents = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      contents.add(new Due(entries.entry(i), entries.number(i)));
    }
    return contents;
  }

  private static void assertSorts(List<Due> added) {
    DueEntries entries = entries(added);
    assertThat(contents(entries)).isEqualTo(added);
    entries.sort();
    assertThat(contents(entries)).isEqualTo(added.stream().sorted(ORDER).toList());
  }

  /** A tick, equal deadlines, deadlines in the past, and the limits. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 5, 16, 17, 100, 2_047, 2_048, 10_000})
  void sort_byDeadlineThenByNumber(int size) {
    Random random = new Random(size);
    List<LongSupplier> deadlines =
        List.of(
            () -> 5_000_000_001L + random.nextInt(1_000_000),
            () -> 7,
            () -> random.nextInt(3),
            () -> random.nextLong() >> random.nextInt(64),
            () -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE);
    for (LongSupplier deadline : deadlines) {
      List<Due> added = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        added.add(due(deadline.getAsLong(), random.nextBoolean() ? i : (1L << 40) + i));
      }
      assertSorts(added);
      Collections.shuffle(added, random);
      assertSorts(added);
      added.sort(ORDER);
      assertSorts(added);
    }
  }

  @Test
  void from_someHaveGreaterNumbers_copiesThem() {
    List<Due> added = List.of(due(3, 7), due(1, 9), due(2, 8), due(0, 6));
    DueEntries entries = entries(added);
    DueEntries later = entries.from(8);
    later.sort();
    assertThat(contents(later)).containsExactly(added.get(1), added.get(2));
    assertThat(entries.from(10).size()).isZero();
    entries.sort();
    assertThat(contents(entries)).isEqualTo(added.stream().sorted(ORDER).toList());
  }

  /** An entry that waits again has another deadline, before those behind it have fired. */
  @Test
  void sort_deadlineHasChangedSince_usesTheFormerOne() {
    Entry first = new Entry(1);
    Entry second = new Entry(2);
    DueEntries entries = new DueEntries();
    entries.add(second, 0);
    entries.add(first, 1);
    first.onTimeout();
    entries.sort();
    assertThat(entries.entry(0)).isSameAs(first);
    List<TimerEntry> visited = new ArrayList<>();
    entries.forEach(visited::add);
    assertThat(visited).containsExactlyInAnyOrder(first, second);
  }
}
