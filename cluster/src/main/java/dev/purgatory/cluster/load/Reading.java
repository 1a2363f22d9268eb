package dev.purgatory.cluster.load;

import java.util.List;

/**
 * The findings of a reader of all partitions.
 *
 * @param received distinct messages that were received
 * @param lost acknowledged messages that were not received
 * @param duplicates messages that were received again
 * @param outOfOrder messages received after a later one of the same producer and partition
 * @param findings descriptions of the first problems
 */
public record Reading(
    long received, long lost, long duplicates, long outOfOrder, List<String> findings) {

  /** Copies the list. */
  public Reading {
    findings = List.copyOf(findings);
  }

  /** Returns whether there were no problems. */
  public boolean isClean() {
    return lost == 0 && duplicates == 0 && outOfOrder == 0;
  }
}
