package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.workload.Schedule;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Assigns consecutive keys to operations, beginning at a random one. */
final class KeyLists {
  private final SplittableRandom random = new SplittableRandom(1);
  private final Key[] keys;
  private final int count;

  private KeyLists(Key[] keys, int count) {
    this.keys = keys;
    this.count = count;
  }

  /** Creates lists of {@code count} keys out of 100, or out of {@code count} if that is more. */
  static KeyLists of(int count) {
    int keys = Math.max(Schedule.KEYS, count);
    return new KeyLists(IntStream.range(0, keys).mapToObj(Key::new).toArray(Key[]::new), count);
  }

  /** Returns a new list, as a server creates one for each request. */
  List<Key> next() {
    int first = random.nextInt(keys.length);
    Key[] list = new Key[count];
    for (int i = 0; i < count; i++) {
      list[i] = keys[(first + i) % keys.length];
    }
    return List.of(list);
  }
}
