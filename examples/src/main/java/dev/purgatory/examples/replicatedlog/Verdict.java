package dev.purgatory.examples.replicatedlog;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether the replicas kept what was acknowledged.
 *
 * @param acknowledged the number of acknowledged entries
 * @param lost entries that are not in the longest log of the survivors
 * @param agree whether the log of each survivor is the beginning of the log of the leader
 */
record Verdict(int acknowledged, Set<String> lost, boolean agree) {

  /**
   * Compares logs.
   *
   * @param acknowledged the acknowledged entries
   * @param leader the log of the leader
   * @param survivors the logs of the other replicas, one of which takes over
   */
  static Verdict of(Set<String> acknowledged, List<String> leader, List<List<String>> survivors) {
    Set<String> lost = new HashSet<>(acknowledged);
    lost.removeAll(new HashSet<>(longest(survivors)));
    boolean agree = survivors.stream().allMatch(log -> isPrefix(log, leader));
    return new Verdict(acknowledged.size(), lost, agree);
  }

  private static List<String> longest(List<List<String>> logs) {
    return logs.stream().max(Comparator.comparingInt(List::size)).orElseThrow();
  }

  private static boolean isPrefix(List<String> log, List<String> whole) {
    return log.size() <= whole.size() && log.equals(whole.subList(0, log.size()));
  }

  boolean passed() {
    return lost.isEmpty() && agree;
  }

  @Override
  public String toString() {
    String result = passed() ? "PASSED" : "FAILED";
    String logs = agree ? "the logs agree" : "the logs differ";
    return result + ": " + acknowledged + " acknowledged, " + lost.size() + " lost, " + logs;
  }
}
