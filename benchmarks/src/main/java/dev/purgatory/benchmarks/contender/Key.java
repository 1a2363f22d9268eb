package dev.purgatory.benchmarks.contender;

import org.apache.kafka.server.purgatory.DelayedOperationKey;

/**
 * An event that requests wait for. Also a Kafka key, so that no contender has to convert it.
 *
 * @param number identifies the event
 */
public record Key(int number) implements DelayedOperationKey {

  @Override
  public String keyLabel() {
    return Integer.toString(number);
  }
}
