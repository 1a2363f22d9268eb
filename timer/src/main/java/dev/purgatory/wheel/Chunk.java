package dev.purgatory.wheel;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An array of entries. Not thread-safe. */
final class Chunk {

  /*
   * A sweep looks at up to 64 entries before it moves the first of them. They are seldom cached, and a processor
   * loads many at a time if nothing else has to be done in between: neither a store to an array, for which collectors have
   * barriers, nor a branch.
   */

  private static final int MIN_LENGTH = 4;

  /** The maximum number of entries. */
  static final int MAX_LENGTH = 256;

  private @Nullable TimerEntry[] entries;
  private int begin;
  private int end;

  @Nullable Chunk next;

  /** Creates a chunk for this many entries. */
  Chunk(int length) {
    entries = new TimerEntry[length];
  }

  /** Returns twice the length of the former one, within limits. */
  static int lengthAfter(@Nullable Chunk former) {
    return former == null ? MIN_LENGTH : Math.min(MAX_LENGTH, 2 * former.entries.length);
  }

  int size() {
    return end - begin;
  }

  /** Adds an entry unless the array is full. */
  boolean add(TimerEntry entry) {
    if (end == entries.length) {
      return false;
    }
    entries[end++] = entry;
    return true;
  }

  TimerEntry first() {
    return requireNonNull(entries[begin]);
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
        entries[kept++] = entries[index];
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
        entries = Arrays.copyOf(entries, length);
      } catch (OutOfMemoryError e) {
        // Keep the longer array.
      }
    }
  }

  /** Takes all entries of the other chunk, if they fit. */
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
