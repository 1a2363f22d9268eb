package dev.purgatory.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StripesTest {

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16})
  void of_numbersThatAreEqualModuloTheCount_areSpread(int count) {
    for (long first = 1; first <= 1_000; first++) {
      assertSpread(first, count, count);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16})
  void of_consecutiveNumbers_areSpread(int count) {
    for (long first = 1; first <= 1_000; first++) {
      assertSpread(first, 1, count);
    }
  }

  /** Asserts that no stripe gets more than 1.5 times the average. */
  private static void assertSpread(long first, long step, int count) {
    int average = 16;
    int[] numbers = new int[count];
    for (int i = 0; i < average * count; i++) {
      numbers[Stripes.of(first + i * step, count)]++;
    }
    assertThat(Arrays.stream(numbers).max().orElseThrow())
        .as("the most of the numbers %s, %s, … in one stripe", first, first + step)
        .isLessThanOrEqualTo(average * 3 / 2);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 63, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void of_oneStripe_returnsTheFirst(long threadId) {
    assertThat(Stripes.of(threadId, 1)).isZero();
  }
}
