package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Kafka's exceptions do, which a healthy broker does not throw. */
class LogReaderTest {
  private static final TopicPartition PARTITION = new TopicPartition("topic", 0);
  private static final TopicPartition OTHER = new TopicPartition("topic", 1);
  private static final LogReader.Place PLACE = new LogReader.Place("id", PARTITION, 1);

  private final Mock live = new Mock();
  private final Mock past = new Mock();
  private final LogReader reader =
      new LogReader("topic", 2, live, past, Duration.ofMillis(50), Duration.ofSeconds(3), 1 << 20);

  /** A consumer. It has no records, unless some are added. */
  private static final class Mock extends MockConsumer<String, byte[]> {
    volatile @Nullable RuntimeException exception;

    /** The partition that has the exception; null for all. */
    volatile @Nullable TopicPartition dead;

    /** Thrown by a poll of the first record of the dead partition. */
    volatile @Nullable RuntimeException damage;

    /** Thrown once by a poll, and by what the reader does then. */
    volatile @Nullable Error error;

    volatile @Nullable Error another;

    /** The partition whose position is not known. */
    volatile @Nullable TopicPartition adrift;

    /** Whether somebody wakes the consumer up while it finds out the next position. */
    volatile boolean isWokenUp;

    Mock() {
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
    public synchronized ConsumerRecords<String, byte[]> poll(Duration timeout) {
      Error thrown = error;
      if (thrown != null) {
        error = null;
        throw thrown;
      }
      RuntimeException damaged = damage;
      TopicPartition of = dead;
      if (damaged != null && of != null && !paused().contains(of) && position(of) == 0) {
        throw damaged;
      }
      return super.poll(timeout);
    }

    @Override
    public synchronized void pause(Collection<TopicPartition> partitions) {
      Error thrown = another;
      if (thrown != null && error == null) {
        another = null;
        throw thrown;
      }
      super.pause(partitions);
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times, Duration timeout) {
      Map<TopicPartition, OffsetAndTimestamp> begins = new HashMap<>();
      endOffsets(times.keySet(), timeout)
          .forEach(
              (partition, end) -> {
                if (end > 0) {
                  begins.put(partition, new OffsetAndTimestamp(0, 1));
                }
              });
      return begins;
    }

    @Override
    public synchronized long position(TopicPartition partition, Duration timeout) {
      if (isWokenUp) {
        isWokenUp = false;
        throw new WakeupException();
      }
      if (partition.equals(adrift)) {
        throw new TimeoutException("thrown by a test");
      }
      return super.position(partition, timeout);
    }
  }

  @AfterEach
  void close() {
    reader.close();
    assertThat(live.closed()).isTrue();
    assertThat(past.closed()).isTrue();
  }

  private static ConsumerRecord<String, byte[]> record(long offset, int answer) {
    return record(0, offset, "id", answer);
  }

  private static ConsumerRecord<String, byte[]> record(
      int partition, long offset, String id, int answer) {
    return record(partition, offset, id, new byte[] {(byte) answer});
  }

  private static ConsumerRecord<String, byte[]> record(
      int partition, long offset, String id, byte[] answer) {
    ConsumerRecord<String, byte[]> record =
        new ConsumerRecord<>("topic", partition, offset, id, answer);
    var unused = record.headers().add(Window.TOKEN, new byte[] {1});
    return record;
  }

  @Test
  void unavailableBroker_failsNoFollower() throws Exception {
    past.exception = new TimeoutException("thrown by a test");
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    TimeUnit.MILLISECONDS.sleep(150);
    assertThat(follower).isNotDone();
    past.exception = null;
    while (reader.reading().followedPartitions() == 0) {
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
    while (reader.reading().followedPartitions() == 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    live.schedulePollTask(() -> live.addRecord(record(0, 1)));
    assertThat(get(follower)).containsExactly(1);
    assertThat(waiting).isNotDone();
  }

  /** The order in which partitions are visited does not matter: each has its turn. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void partitionWithoutAPosition_holdsUpNoOther(int healthy) throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L, OTHER, 1L));
    TopicPartition partition = healthy == 0 ? PARTITION : OTHER;
    TopicPartition adrift = healthy == 0 ? OTHER : PARTITION;
    past.adrift = adrift;
    past.schedulePollTask(() -> past.addRecord(record(healthy, 0, "another id", 1)));
    var unused = reader.look(new LogReader.Place("id", adrift, 1), 1);
    assertThat(get(reader.look(new LogReader.Place("id", partition, 1), LogReader.THE_END)))
        .isEmpty();
  }

  /**
   * Otherwise it is read for as long as the partition has records, and nothing else is looked for.
   */
  @Test
  void lookOfAnIdThatNobodyFollowsAnyMore_ends() throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L)); // a record that does not come
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    awaitPartitions(1);
    follower.cancel(false);
    awaitPartitions(0);
    past.updateEndOffsets(Map.of(PARTITION, 0L));
    assertThat(get(reader.look(new LogReader.Place("young", PARTITION, 2), LogReader.THE_END)))
        .isEmpty();
  }

  /** The window of the first look lasts longer than the look. */
  @Test
  void lookThatGaveUp_leavesNoOtherWaiting() throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L)); // a record that does not come
    CompletableFuture<?> first = reader.look(PLACE, LogReader.THE_END);
    CompletableFuture<?> older =
        reader.look(new LogReader.Place("older", PARTITION, 0), LogReader.THE_END);
    assertThatThrownBy(() -> get(first)).hasCauseInstanceOf(TimeoutException.class);
    assertThatThrownBy(() -> get(older)).hasCauseInstanceOf(TimeoutException.class);
    past.updateEndOffsets(Map.of(PARTITION, 0L));
    assertThat(get(reader.look(new LogReader.Place("older", PARTITION, 0), LogReader.THE_END)))
        .isEmpty();
  }

  /** A consumer asks brokers for a position that it does not know, and can be woken up then. */
  @Test
  void commandAmidARead_losesNoRecordsOfOtherPartitions() throws Exception {
    CompletableFuture<byte[]> first = reader.follow(PLACE);
    CompletableFuture<byte[]> second = reader.follow(new LogReader.Place("id 2", OTHER, 1));
    awaitPartitions(2);
    live.schedulePollTask(
        () -> {
          live.isWokenUp = true;
          live.addRecord(record(0, 1));
          live.addRecord(record(1, 0, "id 2", 2));
        });
    assertThat(get(first)).containsExactly(1);
    assertThat(get(second)).containsExactly(2);
  }

  @Test
  void followerThatEndsInAnyWay_freesItsPartition() throws Exception {
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    awaitPartitions(1);
    follower.completeExceptionally(new IllegalStateException("thrown by a test"));
    awaitPartitions(0);
  }

  private void awaitPartitions(int followed) throws InterruptedException {
    long begun = System.nanoTime();
    while (reader.reading().followedPartitions() != followed) {
      assertThat(System.nanoTime() - begun).isLessThan(AnswerStoreContract.LONG.toNanos());
      TimeUnit.MILLISECONDS.sleep(1);
    }
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

  /** Kafka's message names the partition, or not. */
  @ParameterizedTest
  @ValueSource(strings = {"cannot read topic-1", "thrown by a test"})
  void damagedRecord_failsTheLooksOfItsPartition_andNoOther(String message) throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L, OTHER, 1L));
    past.dead = OTHER;
    past.damage = new KafkaException(message);
    past.schedulePollTask(() -> past.addRecord(record(0, 0, "another id", 1)));
    CompletableFuture<byte[]> hit = reader.follow(new LogReader.Place("id", OTHER, 1));
    CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> alsoHit =
        reader.look(new LogReader.Place("id 2", OTHER, 1), 1);
    assertThat(get(reader.look(PLACE, LogReader.THE_END))).isEmpty();
    assertThatThrownBy(() -> get(hit)).hasCause(past.damage);
    assertThatThrownBy(() -> get(alsoHit)).hasCause(past.damage);
    past.damage = null;
    past.updateEndOffsets(Map.of(OTHER, 0L));
    assertThat(get(reader.look(new LogReader.Place("id 3", OTHER, 2), LogReader.THE_END)))
        .isEmpty();
  }

  @Test
  void damagedRecordAtTheEnd_failsTheFollowersOfItsPartition_andNoOther() throws Exception {
    CompletableFuture<byte[]> hit = reader.follow(new LogReader.Place("other", OTHER, 1));
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    awaitPartitions(2);
    RuntimeException damaged = new KafkaException("cannot read topic-1");
    live.dead = OTHER;
    live.damage = damaged;
    assertThatThrownBy(() -> get(hit)).hasCause(damaged);
    live.damage = null;
    live.schedulePollTask(() -> live.addRecord(record(0, 1)));
    assertThat(get(follower)).containsExactly(1);
  }

  /** Neither an Error nor another one in the reaction to it ends the thread. */
  @Test
  void errors_failEverybody_andReadingGoesOn() throws Exception {
    past.updateEndOffsets(Map.of(PARTITION, 1L));
    past.another = new LinkageError("thrown by a test, too");
    past.error = new OutOfMemoryError("thrown by a test");
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    assertThatThrownBy(() -> get(follower)).isInstanceOf(ExecutionException.class);
    past.updateEndOffsets(Map.of(PARTITION, 0L));
    CompletableFuture<byte[]> again = reader.follow(PLACE);
    awaitPartitions(1);
    live.schedulePollTask(() -> live.addRecord(record(0, 1)));
    assertThat(get(again)).containsExactly(1);
  }

  @Test
  void interrupts_reachNoOtherDependent_andEndNothing() throws Exception {
    CompletableFuture<byte[]> first = reader.follow(PLACE);
    CompletableFuture<byte[]> second = reader.follow(new LogReader.Place("id 2", PARTITION, 1));
    CompletableFuture<Thread> thread =
        first.thenApply(
            answer -> {
              Thread.currentThread().interrupt();
              return Thread.currentThread();
            });
    CompletableFuture<Boolean> interrupted =
        second.thenApply(answer -> Thread.currentThread().isInterrupted());
    assertThat(get(reader.look(new LogReader.Place("id 3", PARTITION, 1), LogReader.THE_END)))
        .isEmpty(); // both are followed
    live.schedulePollTask(
        () -> {
          live.addRecord(record(0, 1));
          live.addRecord(record(0, 1, "id 2", 1));
        });
    assertThat(get(interrupted)).isFalse();
    for (int i = 0; i < 20; i++) {
      get(thread).interrupt(); // from outside
      assertThat(get(reader.look(PLACE, LogReader.THE_END))).isNotNull();
    }
  }

  /** A look for an old id moves the position back, behind what others have seen already. */
  @Test
  void oldId_isLookedFor_andTheFollowersOfOthersGoOn() throws Exception {
    CompletableFuture<byte[]> follower = reader.follow(new LogReader.Place("id", PARTITION, 5));
    awaitPartitions(1);
    live.schedulePollTask(() -> live.addRecord(record(0, 0, "another id", 1)));
    while (reader.recordsRead() < 1) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    past.updateEndOffsets(Map.of(PARTITION, 1L));
    past.schedulePollTask(() -> past.addRecord(record(0, 0, "another id", 1)));
    CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> old =
        reader.look(new LogReader.Place("another id", PARTITION, 1), LogReader.THE_END);
    assertThat(get(old)).isPresent();
    live.schedulePollTask(() -> live.addRecord(record(1, 2)));
    assertThat(get(follower)).containsExactly(2);
  }

  /** What they must not come by does not concern them. */
  @Test
  void damagedRecordOfThePast_failsNoFollowerThatHasSeenLaterOnes() throws Exception {
    CompletableFuture<byte[]> follower = reader.follow(new LogReader.Place("id", PARTITION, 1));
    awaitPartitions(1);
    live.schedulePollTask(() -> live.addRecord(record(0, 0, "another id", 1)));
    while (reader.recordsRead() < 1) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    past.updateEndOffsets(Map.of(PARTITION, 1L));
    past.dead = PARTITION;
    past.damage = new KafkaException("cannot read topic-0");
    CompletableFuture<byte[]> old = reader.follow(new LogReader.Place("old id", PARTITION, 0));
    assertThatThrownBy(() -> get(old)).hasCause(past.damage);
    past.damage = null;
    live.schedulePollTask(() -> live.addRecord(record(1, 2)));
    assertThat(get(follower)).containsExactly(2);
  }

  @Test
  void closing_failsEverybody() {
    CompletableFuture<byte[]> follower = reader.follow(PLACE);
    reader.close();
    assertThat(follower).isCompletedExceptionally();
    assertThat(reader.follow(PLACE)).isCompletedExceptionally();
    assertThat(reader.look(PLACE, 0)).isCompletedExceptionally();
  }

  /** As if the topic was created again after the claim: another one would take as long. */
  @Test
  void claimThatIsNotFoundInTime_isTheLast() throws Exception {
    MockProducer<String, byte[]> producer =
        new MockProducer<>(
            /* autoComplete= */ true, null, new StringSerializer(), new ByteArraySerializer());
    past.updateEndOffsets(Map.of(PARTITION, 1L, OTHER, 0L));
    byte[] settings = "partitions=2".getBytes(StandardCharsets.UTF_8);
    past.schedulePollTask(() -> past.addRecord(record(0, 0, "purgatory settings", settings)));
    try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", "127.0.0.1:1"))) {
      Agreement agreement =
          new Agreement(
              admin,
              "topic",
              new Agreement.Description(Uuid.randomUuid(), 2, 1, -1),
              System::currentTimeMillis,
              producer,
              reader);
      agreement.start();
      assertThat(agreement.claimed).isNotNegative();
    }
    assertThat(producer.history().stream().map(ProducerRecord::key))
        .satisfiesExactly(
            first -> assertThat(first).isEqualTo("purgatory settings"),
            claim -> assertThat(claim).startsWith("purgatory home"));
  }
}
