package dev.purgatory.benchmarks.contender;

import org.apache.kafka.server.purgatory.DelayedOperationKey;

/**
 * An event that requests wait for. It is a key of Kafka's too, so that no contender has to convert.
 *
 * @param number tells it from others
 */
public record Key(int number) implements DelayedOperationKey {

  @Override
  public String keyLabel() {
    return Integer.toString(number);
  }
}
