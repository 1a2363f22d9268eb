package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Kafka's exceptions do, which a healthy broker does not throw. */
class LogReaderTest {
  private static final TopicPartition PARTITION = new TopicPartition("topic", 0);
  private static final TopicPartition OTHER = new TopicPartition("topic", 1);
  private static final LogReader.Place PLACE = new LogReader.Place("id", PARTITION, 1);

  private final MockConsumer<String, byte[]> live = new MockConsumer<>("earliest");
  private final Past past = new Past();
  private final LogReader reader =
      new LogReader("topic", 2, live, past, Duration.ofMillis(50), Duration.ofMillis(300), 1 << 20);

  /** Has no records, unless some are added. */
  private static final class Past extends MockConsumer<String, byte[]> {
    volatile @Nullable RuntimeException exception;

    /** The partition that has the exception; null for all. */
    volatile @Nullable TopicPartition dead;

    Past() {
      super("earliest");
      updateEndOffsets(Map.of(PARTITION, 0L, OTHER, 0L));
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      RuntimeException thrown = exception;
      if (thrown != null && (dead == null || partitions.contains(dead))) {
        throw thrown;
      }
      return super.endOffsets(partitions, timeout);
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times, Duration timeout) {
      return endOffsets(times.keySet(), timeout).containsValue(0L)
          ? Map.of()
          : Map.of(PARTITION, new OffsetAndTimestamp(0, 1));
    }
  }

  @AfterEach
  void close() {
    reader.close();
    assertThat(live.closed()).isTrue();
    assertThat(past.closed()).isTrue();
  }

  private static ConsumerRecord<String, byte[]> record(long offset, int answer) {
    return new ConsumerRecord<>("topic", 0, offset, "id", new byte[] {(byte) answer});
  }

  @Test
  void unavailableBroker_failsNoFollower() throws Exception {
    past.exception = new TimeoutException("thrown by a test");
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    TimeUnit.MILLISECONDS.sleep(150);
    assertThat(follower).isNotDone();
    past.exception = null;
    while (reader.followedPartitions() == 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    live.schedulePollTask(() -> live.addRecord(record(0, 1)));
    assertThat(get(follower)).containsExactly(1);
  }

  @Test
  void unavailablePartition_holdsUpNoOther() throws Exception {
    past.dead = OTHER;
    past.exception = new TimeoutException("thrown by a test");
    CompletableFuture<byte[]> waiting = reader.follow(new LogReader.Place("other", OTHER, 1));
    var unused = reader.look(new LogReader.Place("other", OTHER, 1), LogReader.THE_END);
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    assertThat(get(reader.look(PLACE, LogReader.THE_END))).isEmpty();
    while (reader.followedPartitions() == 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    live.schedulePollTask(() -> live.addRecord(record(0, 1)));
    assertThat(get(follower)).containsExactly(1);
    assertThat(waiting).isNotDone();
  }

  @Test
  void unavailableBroker_failsALook_whenPatienceIsOver() {
    past.exception = new TimeoutException("thrown by a test");
    CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> look =
        reader.look(PLACE, LogReader.THE_END);
    assertThatThrownBy(() -> get(look))
        .cause()
        .hasMessage("the first answer was not found in time");
  }

  @Test
  void refusedAccess_failsEverybody_untilItIsGranted() throws Exception {
    RuntimeException refused = new TopicAuthorizationException("topic");
    past.exception = refused;
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> look =
        reader.look(PLACE, LogReader.THE_END);
    assertThatThrownBy(() -> get(follower)).hasCause(refused);
    assertThatThrownBy(() -> get(look)).hasCause(refused);
    past.exception = null;
    assertThat(get(reader.look(PLACE, LogReader.THE_END))).isEmpty();
  }

  /** The live consumer finds a later answer before the other one has found the first. */
  @Test
  void laterAnswer_isOnlyACandidate_whileTheLookGoesOn() throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L));
    past.schedulePollTask(() -> live.addRecord(record(1, 2)));
    past.schedulePollTask(() -> {});
    past.schedulePollTask(() -> {});
    past.schedulePollTask(() -> past.addRecord(record(0, 1)));
    assertThat(get(reader.follow(PLACE))).containsExactly(1);
  }

  @Test
  void candidate_isTheAnswer_ifThereIsNoneBefore() throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L));
    past.schedulePollTask(() -> live.addRecord(record(1, 2)));
    past.schedulePollTask(() -> {});
    ConsumerRecord<String, byte[]> other =
        new ConsumerRecord<>("topic", 0, 0, "other", new byte[] {1});
    past.schedulePollTask(() -> past.addRecord(other));
    assertThat(get(reader.follow(PLACE))).containsExactly(2);
  }

  @Test
  void closing_failsEverybody() {
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    reader.close();
    assertThat(follower).isCompletedExceptionally();
    assertThat(reader.follow(PLACE)).isCompletedExceptionally();
    assertThat(reader.look(PLACE, 0)).isCompletedExceptionally();
  }
}
