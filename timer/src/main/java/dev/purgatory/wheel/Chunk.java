package dev.purgatory.wheel;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An array of entries, each with its number. Not thread-safe. */
final class Chunk {

  /*
   * Numbers are kept as differences from the first entry's, which takes half the memory. A number
   * that is too far from it does not fit, like an entry in a full array.
   *
   * A sweep looks at up to 64 entries before it moves the first of them. They are seldom cached, and a processor
   * loads many at a time if nothing else has to be done in between: neither a store to an array, for which collectors have
   * barriers, nor a branch.
   */

  private static final int MIN_LENGTH = 4;

  /** The maximum number of entries. */
  static final int MAX_LENGTH = 256;

  private @Nullable TimerEntry[] entries;
  private int[] numbers;
  private long base;
  private int begin;
  private int end;

  @Nullable Chunk next;

  /** Creates a chunk for this many entries. */
  Chunk(int length) {
    entries = new TimerEntry[length];
    numbers = new int[length];
  }

  /** Returns twice the length of the former one, within limits. */
  static int lengthAfter(@Nullable Chunk former) {
    return former == null ? MIN_LENGTH : Math.min(MAX_LENGTH, 2 * former.entries.length);
  }

  int size() {
    return end - begin;
  }

  private boolean fits(long number) {
    return end < entries.length && (end == 0 || isInt(number - base));
  }

  private static boolean isInt(long difference) {
    return difference == (int) difference;
  }

  /** Adds an entry unless it does not fit. */
  boolean add(TimerEntry entry, long number) {
    if (!fits(number)) {
      return false;
    }
    if (end == 0) {
      base = number;
    }
    numbers[end] = (int) (number - base);
    entries[end++] = entry;
    return true;
  }

  TimerEntry first() {
    return requireNonNull(entries[begin]);
  }

  long firstNumber() {
    return base + numbers[begin];
  }

  /** Removes the last entry if it has ended. */
  boolean removeEndedLast() {
    if (end == begin || requireNonNull(entries[end - 1]).isScheduled()) {
      return false;
    }
    entries[--end] = null;
    if (begin == end) {
      begin = 0;
      end = 0;
    }
    return true;
  }

  void removeFirst() {
    entries[begin++] = null;
    if (begin == end) {
      begin = 0;
      end = 0;
    }
  }

  void forEach(Consumer<TimerEntry> visitor) {
    for (int i = begin; i < end; i++) {
      visitor.accept(requireNonNull(entries[i]));
    }
  }

  /** Adds the entries that have not ended to the list. */
  void addScheduled(List<Due> list) {
    for (int i = begin; i < end; i++) {
      TimerEntry entry = requireNonNull(entries[i]);
      if (entry.isScheduled()) {
        list.add(new Due(entry, base + numbers[i]));
      }
    }
  }

  /**
   * Removes ended entries, and shrinks the array if few are left.
   *
   * @return the number of removed entries
   */
  int removeEnded() {
    int before = size();
    int kept = 0;
    for (int from = begin; from < end; from += Long.SIZE) {
      for (long left = scheduledFrom(from); left != 0; left &= left - 1) {
        int index = from + Long.numberOfTrailingZeros(left);
        entries[kept] = entries[index];
        numbers[kept++] = numbers[index];
      }
    }
    Arrays.fill(entries, kept, end, null);
    begin = 0;
    end = kept;
    shrink();
    return before - kept;
  }

  /**
   * Returns which of the entries from this index on are scheduled, 64 at most: one bit for each.
   */
  private long scheduledFrom(int from) {
    long scheduled = 0;
    for (int i = Math.min(end, from + Long.SIZE) - 1; i >= from; i--) {
      scheduled = scheduled << 1 | requireNonNull(entries[i]).scheduled();
    }
    return scheduled;
  }

  private void shrink() {
    int length = entries.length;
    while (length > MIN_LENGTH && end <= length / 4) {
      length /= 2;
    }
    if (length < entries.length) {
      try {
        int[] shorter = Arrays.copyOf(numbers, length);
        entries = Arrays.copyOf(entries, length);
        numbers = shorter;
      } catch (OutOfMemoryError e) {
        // Keep the longer arrays.
      }
    }
  }

  /** Takes all entries of the other chunk, if they fit. */
  boolean takeAll(Chunk other) {
    int count = other.size();
    if (count > entries.length - end) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      long difference = other.base + other.numbers[other.begin + i] - base;
      if (!isInt(difference)) {
        return false;
      }
      numbers[end + i] = (int) difference;
    }
    System.arraycopy(other.entries, other.begin, entries, end, count);
    end += count;
    return true;
  }
}
