package dev.purgatory.wheel;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries that were taken out of the wheels because they are due, with their deadlines, which may
 * change when they fire, and their numbers. Not thread-safe.
 */
final class DueEntries {

  /*
   * Very many entries may be due together, so they are sorted in time in proportion to their number: digit
   * by digit, the least significant one first, which keeps the order of those with equal digits. Indices are
   * sorted, first by number and then by deadline. A digit has about as many values as there are entries.
   * Most entries are due in the same tick, so their deadlines differ by two digits of 11 bits if that is 1 ms.
   */

  /** No entries. Never changed. */
  static final DueEntries NONE = new DueEntries();

  private static final int MIN_LENGTH = 4;
  private static final int MAX_BITS = 11;

  /** So many are sorted faster by insertion. */
  private static final int FEW = 32;

  private @Nullable TimerEntry[] entries = {};
  private long[] deadlines = {};
  private long[] numbers = {};
  private int size;

  /** The indices in the order of firing; null: as they were added. */
  private int @Nullable [] order;

  int size() {
    return size;
  }

  TimerEntry entry(int place) {
    return requireNonNull(entries[index(place)]);
  }

  long number(int place) {
    return numbers[index(place)];
  }

  private int index(int place) {
    return order == null ? place : order[place];
  }

  /** Adds an entry with its number. */
  void add(TimerEntry entry, long number) {
    add(entry, entry.due(), number);
  }

  private void add(TimerEntry entry, long deadline, long number) {
    if (size == entries.length) {
      resize(Math.max(MIN_LENGTH, 2 * size));
    }
    entries[size] = entry;
    deadlines[size] = deadline;
    numbers[size++] = number;
  }

  private void resize(int length) {
    long[] moreDeadlines = Arrays.copyOf(deadlines, length);
    long[] moreNumbers = Arrays.copyOf(numbers, length);
    entries = Arrays.copyOf(entries, length);
    deadlines = moreDeadlines;
    numbers = moreNumbers;
  }

  /** Returns those with this number or a greater one. */
  DueEntries from(long number) {
    DueEntries found = new DueEntries();
    for (int i = 0; i < size; i++) {
      if (numbers[i] >= number) {
        found.add(requireNonNull(entries[i]), deadlines[i], numbers[i]);
      }
    }
    return found;
  }

  void forEach(Consumer<TimerEntry> visitor) {
    for (int i = 0; i < size; i++) {
      visitor.accept(requireNonNull(entries[i]));
    }
  }

  /** Sorts by deadline, then by number, at last: nothing is added afterwards. */
  void sort() {
    boolean inSequence = isAscending(numbers);
    if (inSequence && isAscending(deadlines)) {
      return;
    }
    int[] indices = new int[size];
    for (int i = 0; i < size; i++) {
      indices[i] = i;
    }
    if (size <= FEW) {
      insert(indices);
      order = indices;
    } else {
      order = sort(inSequence ? indices : sort(indices, numbers), deadlines);
    }
  }

  /** Sorts by insertion. */
  private void insert(int[] indices) {
    for (int i = 1; i < size; i++) {
      int place = i;
      for (; place > 0 && isBefore(i, indices[place - 1]); place--) {
        indices[place] = indices[place - 1];
      }
      indices[place] = i;
    }
  }

  private boolean isBefore(int a, int b) {
    return deadlines[a] == deadlines[b] ? numbers[a] < numbers[b] : deadlines[a] < deadlines[b];
  }

  private boolean isAscending(long[] keys) {
    for (int i = 1; i < size; i++) {
      if (keys[i] < keys[i - 1]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the indices by their keys; those with the same key stay in order. */
  private int[] sort(int[] indices, long[] keys) {
    long min = keys[0];
    long max = keys[0];
    for (int i = 1; i < size; i++) {
      min = Math.min(min, keys[i]);
      max = Math.max(max, keys[i]);
    }
    int bits = Math.min(MAX_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(size));
    int mask = (1 << bits) - 1;
    int[] places = new int[1 << bits];
    int[] from = indices;
    int[] to = new int[size];
    for (int shift = 0; shift < Long.SIZE && (max - min) >>> shift != 0; shift += bits) {
      Arrays.fill(places, 0);
      for (int i = 0; i < size; i++) {
        places[(int) ((keys[i] - min) >>> shift) & mask]++;
      }
      for (int digit = 0, place = 0; digit <= mask; digit++) {
        int count = places[digit];
        places[digit] = place;
        place += count;
      }
      for (int i = 0; i < size; i++) {
        int index = from[i];
        to[places[(int) ((keys[index] - min) >>> shift) & mask]++] = index;
      }
      int[] sorted = to;
      to = from;
      from = sorted;
    }
    return from;
  }
}
