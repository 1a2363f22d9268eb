package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.wheel.TimingWheelsTest.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What scheduling and cancelling cost does not depend on how many entries wait. */
class ScheduleStepsTest {
  private static final int MANY = 100_000;
  private static final long LATEST = 1_000_000; // in ticks

  /**
   * An insertion finds its level, appends to a bucket, and puts a bucket that was empty into the
   * queue of buckets: so the number of levels and the number of buckets bound its steps. An end
   * does not visit the wheels.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 32, 64, 512})
  void insertAndEnd_takeTheSameSteps_howeverManyWait(int wheelSize) {
    int levels = (int) Math.ceil(Math.log(LATEST) / Math.log(wheelSize)) + 1;
    TimingWheels wheels = new TimingWheels(1, wheelSize);
    Random random = new Random(wheelSize);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Entry entry = new Entry(1 + random.nextLong(LATEST));
      wheels.insert(entry, 0);
      entries.add(entry);
      assertThat(wheels.buckets().size()).isLessThanOrEqualTo(levels * wheelSize + 1);
    }
    int size = wheels.size();
    assertThat(entries).allMatch(Entry::end);
    assertThat(wheels.size()).isEqualTo(size); // swept later, in bounded steps
  }
}
