package dev.purgatory.answers;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Polls a consumer, so that a damaged record or a refused fetch fails its partition and no other.
 *
 * @param read gets the records of each poll
 * @param fail gets a partition that cannot be read, and why. It is paused, and has to be seeked
 */
record Poll(
    Consumer<String, byte[]> consumer,
    java.util.function.Consumer<ConsumerRecords<String, byte[]>> read,
    BiConsumer<TopicPartition, RuntimeException> fail) {
  private static final Duration ALONE = Duration.ofMillis(20);

  /** Polls all partitions that are not paused. */
  void all(Duration timeout) {
    RuntimeException failure = poll(timeout);
    if (failure != null) {
      eachAlone(failure);
    }
  }

  /**
   * Polls each partition alone until one fails: an exception of the consumer does not say which it
   * is of, but its message often does.
   */
  private void eachAlone(RuntimeException failure) {
    String message = String.valueOf(failure.getMessage());
    Set<TopicPartition> active = new HashSet<>(consumer.assignment());
    active.removeAll(consumer.paused());
    List<TopicPartition> suspects = new ArrayList<>(active);
    suspects.sort(Comparator.comparing(each -> !message.contains(each.toString())));
    consumer.pause(active);
    try {
      for (TopicPartition each : suspects) {
        consumer.resume(Set.of(each));
        RuntimeException own = poll(ALONE);
        consumer.pause(Set.of(each));
        if (own != null) {
          active.remove(each);
          fail.accept(each, own);
          Foreign.log(Level.ERROR, each + " cannot be read; waits for its answers fail", own);
          return;
        }
      }
    } finally {
      consumer.resume(active);
    }
    throw new TimeoutException("a poll failed, and no partition alone", failure); // try again
  }

  /** Returns why a partition cannot be read; null if all can. */
  private @Nullable RuntimeException poll(Duration timeout) {
    ConsumerRecords<String, byte[]> records;
    try {
      records = consumer.poll(timeout);
    } catch (RuntimeException e) {
      if (isOfOnePartition(e)) {
        return e;
      }
      throw e;
    }
    read.accept(records);
    return null;
  }

  /** Returns whether a poll has failed at a partition, such as at a damaged record. */
  static boolean isOfOnePartition(RuntimeException e) {
    return !(e instanceof RetriableException
        || e instanceof WakeupException
        || e instanceof InterruptException
        || e instanceof AuthorizationException
        || e instanceof AuthenticationException);
  }
}
