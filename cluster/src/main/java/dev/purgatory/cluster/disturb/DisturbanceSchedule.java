package dev.purgatory.cluster.disturb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Decides which node is disturbed, when, how and for how long. The same seed gives the same
 * schedule.
 */
public final class DisturbanceSchedule {
  private static final int MIN_MILLIS = 500;
  private static final int MAX_CALM_MILLIS = 8_500;
  private static final int MAX_DISTURBANCE_MILLIS = 12_500;

  private DisturbanceSchedule() {}

  /**
   * A disturbance of one node.
   *
   * @param begin the time when it begins, since the start of the load
   * @param end the time when it ends, since the start of the load
   * @param node the node's index, from 0
   * @param disturbance what happens to the node
   */
  public record Entry(Duration begin, Duration end, int node, Disturbance disturbance) {}

  /**
   * Returns disturbances of all kinds in chronological order. Each ends before the next begins.
   *
   * @param seed the seed of all random choices
   * @param length the duration of the load; no disturbance ends later
   * @param nodes the number of nodes
   */
  public static List<Entry> of(long seed, Duration length, int nodes) {
    return of(seed, length, nodes, List.of(Disturbance.values()));
  }

  /**
   * Returns disturbances of some kinds.
   *
   * @param seed as above
   * @param length as above
   * @param nodes as above
   * @param kinds the kinds, at least one
   */
  public static List<Entry> of(long seed, Duration length, int nodes, List<Disturbance> kinds) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Entry> entries = new ArrayList<>();
    Duration now = after(Duration.ZERO, MAX_CALM_MILLIS, random);
    while (now.compareTo(length) < 0) {
      int node = random.nextInt(nodes);
      Disturbance disturbance = kinds.get(random.nextInt(kinds.size()));
      Duration end = after(now, MAX_DISTURBANCE_MILLIS, random);
      Duration cut = end.compareTo(length) < 0 ? end : length;
      entries.add(new Entry(now, cut, node, disturbance));
      now = after(end, MAX_CALM_MILLIS, random);
    }
    return entries;
  }

  private static Duration after(Duration now, int maxMillis, SplittableRandom random) {
    return now.plusMillis(random.nextInt(MIN_MILLIS, maxMillis + 1));
  }
}
