package dev.purgatory.cluster.load;

import java.util.List;

/**
 * What one reader of everything can say of Kafka's promises.
 *
 * @param received different messages that it got
 * @param lost messages that were promised to be kept and that it did not get
 * @param twice how often it got a message again
 * @param outOfOrder how often it got a message after a later one of the same producer and partition
 * @param findings the first of these, for people
 */
public record Reading(
    long received, long lost, long twice, long outOfOrder, List<String> findings) {

  /** Copies what can change. */
  public Reading {
    findings = List.copyOf(findings);
  }

  /** Whether the promises were kept as far as it can tell. */
  public boolean isClean() {
    return lost == 0 && twice == 0 && outOfOrder == 0;
  }
}
