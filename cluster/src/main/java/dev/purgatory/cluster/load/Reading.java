package dev.purgatory.cluster.load;

import java.util.List;

/**
 * What a reader of all partitions has found.
 *
 * @param received different messages that it received
 * @param lost acknowledged messages that it did not receive
 * @param twice how often it received a message again
 * @param outOfOrder how often a message came after a later one of the same producer and partition
 * @param findings the first of these problems, for messages
 */
public record Reading(
    long received, long lost, long twice, long outOfOrder, List<String> findings) {

  /** Copies the list. */
  public Reading {
    findings = List.copyOf(findings);
  }

  /** Returns whether it found no problem. */
  public boolean isClean() {
    return lost == 0 && twice == 0 && outOfOrder == 0;
  }
}
