package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs on a real broker. */
class KafkaAnswerStoreTest extends AnswerStoreContract {
  private static final Duration LINGER = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final byte[] ANSWER = {1};

  private final KafkaServer server = KafkaServer.shared();
  private String topic;

  @BeforeEach
  @Override
  void openTwo() throws Exception {
    topic = server.createTopic(3, Map.of());
    super.openTwo();
  }

  @Override
  KafkaAnswerStore open() {
    return new KafkaAnswerStore(server.config(), topic);
  }

  private KafkaAnswerStore openImpatient() {
    Map<String, Object> config = new HashMap<>(server.config());
    config.put("client.id", "impatient");
    config.put("group.id", "is ignored");
    config.put("transactional.id", "is ignored");
    config.put("request.timeout.ms", 500);
    config.put("delivery.timeout.ms", 1_000);
    config.put("max.block.ms", 1_000);
    return new KafkaAnswerStore(config, topic, LINGER, PATIENCE, 1 << 20);
  }

  @Test
  void topic_isChecked() throws Exception {
    assertThatThrownBy(() -> new KafkaAnswerStore(server.config(), "missing"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no topic missing");
    String compacted = server.createTopic(1, Map.of("cleanup.policy", "compact"));
    assertThatThrownBy(() -> new KafkaAnswerStore(server.config(), compacted))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have cleanup.policy=delete, not compact");
    String appended = server.createTopic(1, Map.of("message.timestamp.type", "LogAppendTime"));
    assertThatThrownBy(() -> new KafkaAnswerStore(server.config(), appended))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have message.timestamp.type=CreateTime, not LogAppendTime");
    Map<String, Object> nowhere =
        Map.of(
            "bootstrap.servers",
            "127.0.0.1:1",
            "default.api.timeout.ms",
            500,
            "request.timeout.ms",
            500);
    assertThatThrownBy(() -> new KafkaAnswerStore(nowhere, topic))
        .isInstanceOf(AnswerStoreException.class)
        .hasMessage("cannot describe the topic " + topic);
  }

  @Test
  void settingThatIsNotValid_leavesNoClient() {
    Map<String, Object> config = new HashMap<>(server.config());
    config.put("client.id", "refused");
    config.put("isolation.level", "is not valid");
    assertThatThrownBy(() -> new KafkaAnswerStore(config, topic))
        .isInstanceOf(KafkaException.class);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.contains("refused"));
  }

  @Test
  void closingOnAnInterruptedThread_endsEverything() {
    KafkaAnswerStore store = open();
    CompletableFuture<byte[]> follower = store.follow(store.newId());
    Thread.currentThread().interrupt();
    store.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> get(follower)).hasCauseInstanceOf(IllegalStateException.class);
  }

  /** Somebody who gives an answer again after other failures must not do so for ever. */
  @Test
  void answerThatIsNotWrittenWhenTheStoreCloses_failsAsThatIsClosed() {
    CompletableFuture<Completion<byte[]>> result = new CompletableFuture<>();
    KafkaAnswerStore.settle(
        result,
        new ProducerRecord<>(topic, "id", ANSWER),
        new KafkaException("thrown by a test"),
        null,
        Followers.closedException());
    assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void partitionThatDoesNotExist_isRefused() {
    try (KafkaAnswerStore store = open()) {
      String id = store.newId().replaceFirst("\\d+", "3");
      assertThatThrownBy(() -> store.follow(id))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has 3 partitions");
      assertThatThrownBy(() -> store.complete(id, ANSWER))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** An id may come from an instance whose clock is ahead of that of the one that answers. */
  @Test
  void idOfTheFuture_isAnswered() throws Exception {
    try (KafkaAnswerStore store = open()) {
      long soon = System.currentTimeMillis() + TimeUnit.MINUTES.toMillis(10);
      String id = store.newId().replaceFirst("\\d{13}", String.valueOf(soon));
      assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
      assertThat(get(store.complete(id, ANSWER)).won()).isFalse();
      assertThat(get(store.follow(id))).isEqualTo(ANSWER);
    }
  }

  @Test
  void foreignRecords_areSkipped_orCountAsAnswers() throws Exception {
    try (KafkaAnswerStore store = open();
        KafkaProducer<String, byte[]> producer =
            new KafkaProducer<>(
                server.config(), new StringSerializer(), new ByteArraySerializer())) {
      String id = store.newId();
      int partition = Integer.parseInt(id.substring(0, id.indexOf('.')));
      CompletableFuture<byte[]> follower = store.follow(id);
      get(producer.send(new ProducerRecord<>(topic, partition, null, ANSWER)));
      get(producer.send(new ProducerRecord<>(topic, partition, id, null)));
      get(producer.send(new ProducerRecord<>(topic, partition, id, new byte[] {2})));
      assertThat(get(store.complete(id, ANSWER)))
          .satisfies(
              completion -> {
                assertThat(completion.won()).isFalse();
                assertThat(completion.answer()).containsExactly(2);
              });
      assertThat(get(follower)).containsExactly(2);
    }
  }

  @Test
  void partitions_areFollowed_onlyWhileSomebodyWaits() throws Exception {
    try (KafkaAnswerStore store = openImpatient()) {
      assertThat(store.followedPartitions()).isZero();
      CompletableFuture<byte[]> follower = store.follow(store.newId());
      eventually(() -> store.followedPartitions() == 1);
      List<CompletableFuture<byte[]>> own = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        own.add(store.follow("own-" + i));
      }
      eventually(() -> store.followedPartitions() == 3);
      own.forEach(each -> each.cancel(false));
      eventually(() -> store.followedPartitions() == 1);
      follower.cancel(false);
      eventually(() -> store.followedPartitions() == 0);
    }
  }

  /** Each record is read by the instance that awaits it and by the one that writes it. */
  @Test
  void reads_doNotGrowWithTheNumberOfInstances() throws Exception {
    String wide = server.createTopic(60, Map.of());
    List<KafkaAnswerStore> stores = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        stores.add(new KafkaAnswerStore(server.config(), wide));
      }
      int answers = 120;
      for (int i = 0; i < answers; i++) {
        KafkaAnswerStore waiting = stores.get(i % 6);
        KafkaAnswerStore answering = stores.get(i * 7 % 5);
        String id = waiting.newId();
        CompletableFuture<byte[]> follower = waiting.follow(id);
        get(answering.complete(id, ANSWER));
        get(follower);
      }
      long read = stores.stream().mapToLong(KafkaAnswerStore::recordsRead).sum();
      assertThat(read).isGreaterThanOrEqualTo(answers).isLessThan(4L * answers);
    } finally {
      stores.forEach(KafkaAnswerStore::close);
    }
  }

  /**
   * Each instance awaits and answers: it reads each record once, or twice if both of its consumers
   * come by.
   */
  @Test
  void reads_doNotGrowWithTheNumberOfOpenIds() throws Exception {
    String narrow = server.createTopic(2, Map.of());
    int instances = 3;
    int open = 200;
    int answers = 1_200;
    List<KafkaAnswerStore> stores = new ArrayList<>();
    try {
      for (int i = 0; i < instances; i++) {
        stores.add(new KafkaAnswerStore(server.config(), narrow));
      }
      Deque<String> ids = new ArrayDeque<>();
      Deque<CompletableFuture<byte[]>> followers = new ArrayDeque<>();
      for (int i = 0; i < answers + open; i++) {
        if (i < answers) {
          ids.add(stores.get(i % instances).newId());
          followers.add(stores.get((i + i / instances) % instances).follow(ids.getLast()));
        }
        if (i >= open) {
          CompletableFuture<Completion<byte[]>> completion =
              stores.get(i * 7 % 5 % instances).complete(ids.remove(), ANSWER);
          if (i % 5 == 0) {
            assertThat(get(completion).won()).isTrue();
          }
          assertThat(get(followers.remove())).isEqualTo(ANSWER);
        }
      }
      long read = stores.stream().mapToLong(KafkaAnswerStore::recordsRead).sum();
      assertThat(read).isBetween((long) answers, 2L * instances * answers);
    } finally {
      stores.forEach(KafkaAnswerStore::close);
    }
  }

  /** What was read is kept within a bound; ids that have left it are read again, and are right. */
  @Test
  void window_isBounded_andGivenUp() throws Exception {
    int bound = 20_000;
    String narrow = server.createTopic(1, Map.of());
    try (KafkaAnswerStore store =
        new KafkaAnswerStore(server.config(), narrow, LINGER, LONG, bound)) {
      List<String> ids = new ArrayList<>();
      long most = 0;
      for (int i = 0; i < 120; i++) {
        ids.add(store.newId());
        byte[] answer = ids.get(i).getBytes(US_ASCII);
        assertThat(get(store.complete(ids.get(i), answer)).won()).isTrue();
        most = Math.max(most, store.windowBytes());
      }
      assertThat(most).isBetween(bound / 2L, (long) bound);
      for (int i : List.of(119, 60, 0, 119)) {
        Completion<byte[]> late = get(store.complete(ids.get(i), ANSWER));
        assertThat(late.won()).isFalse();
        assertThat(late.answer()).asString().isEqualTo(ids.get(i));
        assertThat(get(store.follow(ids.get(i)))).asString().isEqualTo(ids.get(i));
      }
      String own = "own"; // its time is not known
      assertThat(get(store.complete(own, ANSWER)).won()).isTrue();
      assertThat(get(store.complete(own, new byte[] {2})).won()).isFalse();
      assertThat(store.windowBytes()).isLessThanOrEqualTo(bound);
      eventually(() -> store.windowBytes() == 0);
      assertThat(get(store.complete(ids.get(0), ANSWER)).won()).isFalse();
    }
  }

  @Test
  void answerLargerThanTheWindow_isFound() throws Exception {
    try (KafkaAnswerStore store =
        new KafkaAnswerStore(server.config(), topic, LINGER, LONG, 1_000)) {
      String id = store.newId();
      CompletableFuture<byte[]> follower = store.follow(id);
      assertThat(get(store.complete(id, new byte[5_000])).won()).isTrue();
      assertThat(get(follower)).hasSize(5_000);
      assertThat(get(store.complete(id, ANSWER)).won()).isFalse();
      assertThat(store.windowBytes()).isLessThanOrEqualTo(1_000);
    }
  }

  /** An answer may come before, while or after the store notices. */
  @RepeatedTest(4)
  void topicIsCreatedAgain_andAnswersAreFound() throws Exception {
    try (KafkaAnswerStore store = open();
        KafkaAnswerStore other = open()) {
      for (int i = 0; i < 20; i++) {
        String id = store.newId();
        CompletableFuture<byte[]> follower = store.follow(id);
        get(other.complete(id, ANSWER));
        get(follower);
      }
      server.createTopicAgain(topic, 3);
      for (int i = 0; i < 5; i++) {
        String id = store.newId();
        CompletableFuture<byte[]> follower = store.follow(id);
        assertThat(completeAtLast(other, id).answer()).isEqualTo(ANSWER);
        assertThat(get(follower)).isEqualTo(ANSWER);
        assertThat(completeAtLast(store, id).answer()).isEqualTo(ANSWER);
      }
    }
  }

  @Test
  void clientThatPolls_doesNotMakeItsPartitionBeReadEachTime() throws Exception {
    try (KafkaAnswerStore store = open();
        KafkaAnswerStore answering = open();
        KafkaProducer<String, byte[]> producer =
            new KafkaProducer<>(
                server.config(), new StringSerializer(), new ByteArraySerializer())) {
      String id = store.newId();
      int partition = Integer.parseInt(id.substring(0, id.indexOf('.')));
      int others = 2_000;
      for (int i = 0; i < others; i++) {
        var unused = producer.send(new ProducerRecord<>(topic, partition, "other-" + i, ANSWER));
      }
      producer.flush();
      for (int i = 0; i < 20; i++) {
        CompletableFuture<byte[]> poll = store.follow(id);
        TimeUnit.MILLISECONDS.sleep(10);
        assertThat(poll.cancel(false)).isTrue();
      }
      CompletableFuture<byte[]> last = store.follow(id);
      eventually(() -> store.recordsRead() >= others);
      get(answering.complete(id, ANSWER));
      assertThat(get(last)).isEqualTo(ANSWER);
      assertThat(store.recordsRead()).isLessThan(2L * others);
    }
  }

  /** The first answers to ids of a busy partition are found, whenever the ids were made. */
  @Test
  void looksIntoThePast_findTheFirstRecord() throws Exception {
    String narrow = server.createTopic(1, Map.of("segment.bytes", "1048576"));
    try (KafkaAnswerStore writer = new KafkaAnswerStore(server.config(), narrow);
        KafkaAnswerStore reader = new KafkaAnswerStore(server.config(), narrow)) {
      List<String> ids = new ArrayList<>();
      List<CompletableFuture<Completion<byte[]>>> given = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        String id = i % 3 == 0 ? "own-" + i : writer.newId();
        ids.add(id);
        given.add(writer.complete(id, id.getBytes(US_ASCII)));
        if (i > 100) { // a loser, much later
          var unused = writer.complete(ids.get(i - 100), ANSWER);
        }
      }
      for (CompletableFuture<Completion<byte[]>> each : given) {
        assertThat(get(each).won()).isTrue();
      }
      List<CompletableFuture<byte[]>> followers = ids.stream().map(reader::follow).toList();
      for (int i = 0; i < ids.size(); i++) {
        assertThat(get(followers.get(i))).asString().isEqualTo(ids.get(i));
      }
    }
  }

  @Test
  void tooLargeAnswer_fails_andAnotherCanBeGiven() throws Exception {
    try (KafkaAnswerStore store = open()) {
      String id = store.newId();
      assertThatThrownBy(() -> get(store.complete(id, new byte[2_000_000])))
          .cause()
          .isInstanceOf(AnswerStoreException.class)
          .hasMessage("cannot write the answer to " + id);
      assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
    }
  }

  /** While the broker is suspended, an answer is sent whose fate is uncertain. */
  @Test
  void brokerIsAway_waitsGoOn_andAnswersFailOrAreFound() throws Exception {
    try (KafkaAnswerStore store = openImpatient()) {
      String id = store.newId();
      CompletableFuture<byte[]> before = store.follow(id);
      eventually(() -> store.followedPartitions() == 1);
      CompletableFuture<byte[]> meanwhile;
      server.node().pause();
      try {
        meanwhile = store.follow(store.newId());
        assertThatThrownBy(() -> get(store.complete(id, ANSWER)))
            .cause()
            .isInstanceOf(AnswerStoreException.class)
            .hasMessage("cannot write the answer to " + id);
        assertThat(before).isNotDone();
        assertThat(meanwhile).isNotDone();
      } finally {
        server.node().resume();
      }
      assertThat(completeAtLast(store, id).answer()).isEqualTo(ANSWER);
      assertThat(get(before)).isEqualTo(ANSWER);
      assertThat(meanwhile).isNotDone();
    }
  }

  /** Gives an answer again and again until it is decided, as a user would. */
  private static Completion<byte[]> completeAtLast(AnswerStore store, String id) throws Exception {
    long begin = System.nanoTime();
    while (true) {
      try {
        return get(store.complete(id, ANSWER));
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(AnswerStoreException.class);
        assertThat(System.nanoTime() - begin).isLessThan(LONG.toNanos());
      }
    }
  }

  @Tag("long")
  @Test
  void brokerIsKilled_andStartsAgain() throws Exception {
    try (KafkaAnswerStore store = open()) {
      String given = store.newId();
      get(store.complete(given, ANSWER));
      String id = store.newId();
      CompletableFuture<byte[]> follower = store.follow(id);
      eventually(() -> store.followedPartitions() == 1);
      server.restart();
      CompletableFuture<Completion<byte[]>> meanwhile = store.complete(id, ANSWER);
      CompletableFuture<byte[]> earlier = store.follow(given);
      assertThat(get(meanwhile).won()).isTrue();
      assertThat(get(follower)).isEqualTo(ANSWER);
      assertThat(get(earlier)).isEqualTo(ANSWER);
    }
  }

  private interface Check {
    boolean holds();
  }

  private static void eventually(Check check) throws InterruptedException {
    long begin = System.nanoTime();
    while (!check.holds()) {
      assertThat(System.nanoTime() - begin).isLessThan(LONG.toNanos());
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }
}
