package dev.purgatory.cli.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What befalls which node, and when. It follows from a seed alone, not from how the run goes. */
final class Schedule {
  private static final int SHORTEST_MILLIS = 500;
  private static final int LONGEST_CALM_MILLIS = 8_500;
  private static final int LONGEST_DISTURBANCE_MILLIS = 12_500;
  private static final List<Disturbance> DISTURBANCES = List.of(Disturbance.values());

  private Schedule() {}

  /**
   * One disturbance of one node.
   *
   * @param begin when, from the beginning of the load
   * @param end when it is over
   * @param node which, from 0
   * @param disturbance what
   */
  record Entry(Duration begin, Duration end, int node, Disturbance disturbance) {}

  /**
   * One disturbance after the other, each over before the next begins.
   *
   * @param seed decides on everything
   * @param length none begins later, none ends later
   * @param nodes how many nodes there are
   */
  static List<Entry> of(long seed, Duration length, int nodes) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Entry> entries = new ArrayList<>();
    Duration now = after(Duration.ZERO, LONGEST_CALM_MILLIS, random);
    while (now.compareTo(length) < 0) {
      int node = random.nextInt(nodes);
      Disturbance disturbance = DISTURBANCES.get(random.nextInt(DISTURBANCES.size()));
      Duration end = after(now, LONGEST_DISTURBANCE_MILLIS, random);
      Duration cut = end.compareTo(length) < 0 ? end : length;
      entries.add(new Entry(now, cut, node, disturbance));
      now = after(end, LONGEST_CALM_MILLIS, random);
    }
    return entries;
  }

  private static Duration after(Duration now, int mostMillis, SplittableRandom random) {
    return now.plusMillis(random.nextInt(SHORTEST_MILLIS, mostMillis + 1));
  }
}
