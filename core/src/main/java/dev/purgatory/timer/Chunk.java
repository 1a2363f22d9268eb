package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.TimerEntry;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An array of entries of a {@link Bucket}, oldest first. Not thread-safe. */
final class Chunk {
  private static final int MIN_LENGTH = 4;

  /** The maximum number of entries. */
  static final int MAX_LENGTH = 256;

  private @Nullable TimerEntry[] entries;
  private int begin;
  private int end;

  @Nullable Chunk next;

  /** Creates a chunk that follows the former one. */
  Chunk(@Nullable Chunk former) {
    entries = new TimerEntry[lengthAfter(former)];
  }

  /** Returns twice the length of the former one, within limits. */
  static int lengthAfter(@Nullable Chunk former) {
    return former == null ? MIN_LENGTH : Math.min(MAX_LENGTH, 2 * former.entries.length);
  }

  int size() {
    return end - begin;
  }

  boolean isFull() {
    return end == entries.length;
  }

  void add(TimerEntry entry) {
    entries[end++] = entry;
  }

  TimerEntry first() {
    return requireNonNull(entries[begin]);
  }

  void removeFirst() {
    entries[begin++] = null;
  }

  int countEnded() {
    int pending = 0;
    for (int i = begin; i < end; i++) {
      pending += requireNonNull(entries[i]).scheduled();
    }
    return size() - pending;
  }

  void forEach(Consumer<TimerEntry> visitor) {
    for (int i = begin; i < end; i++) {
      visitor.accept(requireNonNull(entries[i]));
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
    for (int i = begin; i < end; i++) {
      TimerEntry entry = requireNonNull(entries[i]);
      entries[kept] = entry; // overwritten by the next if it has ended
      kept += entry.scheduled();
    }
    Arrays.fill(entries, kept, end, null);
    begin = 0;
    end = kept;
    shrink();
    return before - kept;
  }

  private void shrink() {
    int length = entries.length;
    while (length > MIN_LENGTH && end <= length / 4) {
      length /= 2;
    }
    if (length < entries.length) {
      try {
        entries = Arrays.copyOf(entries, length);
      } catch (OutOfMemoryError e) {
        // Keep the longer array.
      }
    }
  }

  /** Takes all entries of the other chunk, if there is room for them. */
  boolean takeAll(Chunk other) {
    int count = other.size();
    if (count > entries.length - end) {
      return false;
    }
    System.arraycopy(other.entries, other.begin, entries, end, count);
    end += count;
    return true;
  }
}
