package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
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
  private static final Duration CHECK_EVERY = Duration.ofMillis(100);
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
    return new KafkaAnswerStore(config, topic, tuning(PATIENCE, 1 << 20));
  }

  private static KafkaAnswerStore.Tuning tuning(Duration patience, long windowBytes) {
    return new KafkaAnswerStore.Tuning(
        LINGER, patience, windowBytes, CHECK_EVERY, System::currentTimeMillis);
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
    config.put("max.poll.records", "is not valid");
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
    assertThatThrownBy(
            () ->
                KafkaAnswerStore.completion(
                    new ProducerRecord<>(topic, "id", ANSWER),
                    new KafkaException("thrown by a test"),
                    null,
                    Followers.closedException()))
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  /** Neither the instance that answers nor one that awaits nothing reads the topic. */
  @Test
  void offeredAnswer_isWrittenWithoutReading() throws Exception {
    try (KafkaAnswerStore waiting = open();
        KafkaAnswerStore answering = open()) {
      eventually(() -> waiting.agreement.claimed >= 0 && answering.agreement.claimed >= 0);
      String id = waiting.newId();
      long before = answering.metrics().read();
      CompletableFuture<byte[]> follower = waiting.follow(id);
      get(answering.offer(id, ANSWER));
      get(answering.offer(id, new byte[] {2}));
      assertThat(get(follower)).isEqualTo(ANSWER);
      assertThat(answering.metrics().read()).isEqualTo(before);
      assertThatThrownBy(() -> get(answering.offer(id, new byte[2_000_000])))
          .cause()
          .isInstanceOf(AnswerStoreException.class)
          .hasMessage("cannot write the answer to " + id);
    }
  }

  @Test
  void partitionThatDoesNotExist_isRefused() {
    try (KafkaAnswerStore store = open()) {
      String id = store.newId().replaceFirst("\\d+", "3");
      assertThatThrownBy(() -> store.follow(id))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("use 3 partitions");
      assertThatThrownBy(() -> store.complete(id, ANSWER))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** An id may come from an instance whose clock is ahead of that of the one that answers. */
  @Test
  void idOfTheFuture_isAnswered() throws Exception {
    try (KafkaAnswerStore store = open()) {
      String id = idOf(store, System.currentTimeMillis() + TimeUnit.MINUTES.toMillis(10));
      assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
      assertThat(get(store.complete(id, ANSWER)).won()).isFalse();
      assertThat(get(store.follow(id))).isEqualTo(ANSWER);
    }
  }

  private static String idOf(AnswerStore store, long millis) {
    return store.newId().replaceFirst("\\d{13}", String.valueOf(millis));
  }

  @Test
  void idOfTheFarFuture_isRefused() {
    try (KafkaAnswerStore store = open()) {
      String id = idOf(store, System.currentTimeMillis() + TimeUnit.HOURS.toMillis(2));
      assertThatThrownBy(() -> store.complete(id, ANSWER))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("ahead of the clock of this instance");
      assertThatThrownBy(() -> store.follow(id)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Kafka refuses a record and all others of its batch; here, as two clocks differ. */
  @Test
  void batchMatesOfARefusedAnswer_areWritten() throws Exception {
    String strict = server.createTopic(1, Map.of("message.timestamp.after.max.ms", "60000"));
    AtomicLong ahead = new AtomicLong();
    Map<String, Object> config = new HashMap<>(server.config());
    config.put("linger.ms", 50);
    try (KafkaAnswerStore store = new KafkaAnswerStore(config, strict, tuning(ahead))) {
      ahead.set(45_000);
      List<CompletableFuture<Completion<byte[]>>> good = new ArrayList<>();
      List<CompletableFuture<Completion<byte[]>>> refused = new ArrayList<>();
      for (int i = 0; i < 420; i++) {
        if (i % 21 == 0) {
          String id = idOf(store, System.currentTimeMillis() + 100_000);
          refused.add(store.complete(id, ANSWER));
        } else {
          good.add(store.complete(store.newId(), ANSWER));
        }
      }
      for (CompletableFuture<Completion<byte[]>> each : good) {
        assertThat(get(each).won()).isTrue();
      }
      for (CompletableFuture<Completion<byte[]>> each : refused) {
        assertThatThrownBy(() -> get(each)).hasCauseInstanceOf(AnswerStoreException.class);
      }
    }
  }

  private static KafkaAnswerStore.Tuning tuning(AtomicLong ahead) {
    return new KafkaAnswerStore.Tuning(
        LINGER, LONG, 1 << 20, CHECK_EVERY, () -> System.currentTimeMillis() + ahead.get());
  }

  /** Else nobody could answer its ids. */
  @Test
  void instanceWhoseClockIsTooFarAhead_makesNoIds() throws Exception {
    AtomicLong ahead = new AtomicLong(TimeUnit.HOURS.toMillis(2));
    String message = "the clock of this instance is too far ahead of the brokers of topic " + topic;
    assertThatThrownBy(() -> new KafkaAnswerStore(server.config(), topic, tuning(ahead)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    ahead.set(0);
    try (KafkaAnswerStore store = new KafkaAnswerStore(server.config(), topic, tuning(ahead))) {
      CompletableFuture<byte[]> follower = store.follow(store.newId());
      ahead.set(TimeUnit.HOURS.toMillis(2));
      assertThatThrownBy(() -> get(follower)).cause().hasMessage(message);
      assertThatThrownBy(store::newId).isInstanceOf(AnswerStoreException.class).hasMessage(message);
      ahead.set(0);
      eventually(() -> makesIds(store));
      assertThat(get(store.complete(store.newId(), ANSWER)).won()).isTrue();
    }
  }

  private static boolean makesIds(AnswerStore store) {
    try {
      return !store.newId().isEmpty();
    } catch (AnswerStoreException e) {
      return false;
    }
  }

  @Test
  void instanceWhoseClockIsBehind_makesIdsAndAnswers() throws Exception {
    AtomicLong ahead = new AtomicLong(-TimeUnit.HOURS.toMillis(3));
    try (KafkaAnswerStore behind = new KafkaAnswerStore(server.config(), topic, tuning(ahead));
        KafkaAnswerStore store = open()) {
      String id = behind.newId();
      assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
      assertThat(get(behind.complete(id, new byte[] {2})).won()).isFalse();
      assertThatThrownBy(() -> behind.complete(store.newId(), ANSWER))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void partitionsAreAdded_andOneInstanceIsRestarted() throws Exception {
    String growing = server.createTopic(2, Map.of());
    try (KafkaAnswerStore old = new KafkaAnswerStore(server.config(), growing)) {
      List<CompletableFuture<byte[]>> followers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        followers.add(old.follow("own-" + i));
      }
      server.addPartitions(growing, 24);
      try (KafkaAnswerStore restarted = new KafkaAnswerStore(server.config(), growing)) {
        for (int i = 0; i < 20; i++) {
          assertThat(get(restarted.complete("own-" + i, ANSWER)).won()).isTrue();
          assertThat(get(old.complete("own-" + i, new byte[] {2})).won()).isFalse();
          assertThat(get(followers.get(i))).isEqualTo(ANSWER);
          String id = restarted.newId();
          assertThat(get(old.complete(id, ANSWER)).won()).isTrue();
          assertThat(get(restarted.follow(id))).isEqualTo(ANSWER);
        }
      }
    }
  }

  /** Ids of the old instance name partitions that the new topic does not have. */
  @Test
  void topicIsCreatedAgain_withOtherPartitions_andOldInstancesSaySo() throws Exception {
    // For the claim of a home in a partition that is gone. Then the topic is looked at again.
    Map<String, Object> config = new HashMap<>(server.config());
    config.put("max.block.ms", 5_000);
    config.put("request.timeout.ms", 4_000);
    config.put("delivery.timeout.ms", 5_000);
    try (KafkaAnswerStore old =
        new KafkaAnswerStore(config, topic, tuning(Duration.ofSeconds(5), 1 << 20))) {
      CompletableFuture<byte[]> follower = old.follow(old.newId());
      server.createTopicAgain(topic, 2);
      assertThatThrownBy(() -> get(follower))
          .cause()
          .isInstanceOf(AnswerStoreException.class)
          .hasMessageContaining("partitions");
      assertThatThrownBy(() -> get(old.complete("own", ANSWER)))
          .hasCauseInstanceOf(AnswerStoreException.class);
    }
  }

  @Test
  void settings_areKept_thoughTheTopicDeletesThem() throws Exception {
    String brief = server.createTopic(1, Map.of("retention.ms", "1000"));
    try (KafkaAnswerStore old =
        new KafkaAnswerStore(server.config(), brief, tuning(new AtomicLong()))) {
      long begin = System.nanoTime();
      server.deleteRecords(brief);
      server.addPartitions(brief, 5);
      while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(1)) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertThat(get(old.complete("own", ANSWER)).won()).isTrue();
      try (KafkaAnswerStore restarted = new KafkaAnswerStore(server.config(), brief)) {
        assertThat(restarted.newId()).startsWith("0.");
        assertThat(get(restarted.complete("own", ANSWER)).won()).isFalse();
      }
    }
  }

  @Test
  void topicIsCompacted_whileInstancesRun_andTheySaySo() throws Exception {
    try (KafkaAnswerStore store =
        new KafkaAnswerStore(server.config(), topic, tuning(new AtomicLong()))) {
      String id = store.newId();
      CompletableFuture<byte[]> follower = store.follow(id);
      server.configure(topic, "cleanup.policy", "compact,delete");
      assertThatThrownBy(() -> get(follower))
          .cause()
          .isInstanceOf(AnswerStoreException.class)
          .hasMessageContaining("must have cleanup.policy=delete, not compact,delete");
      assertThatThrownBy(() -> get(store.complete(id, ANSWER)))
          .hasCauseInstanceOf(AnswerStoreException.class);
      assertThatThrownBy(() -> get(store.follow(id)))
          .hasCauseInstanceOf(AnswerStoreException.class);
      server.configure(topic, "cleanup.policy", "delete");
      eventually(() -> makesIds(store));
      assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
    }
  }

  @Test
  void errorOfTheCaretaker_doesNotEndIt() throws Exception {
    AtomicInteger errors = new AtomicInteger();
    LongSupplier clock =
        () -> {
          boolean isCaretaker = Thread.currentThread().getName().contains("-care-");
          if (isCaretaker && errors.getAndDecrement() > 0) {
            Thread.currentThread().interrupt();
            throw new OutOfMemoryError("thrown by a test");
          }
          return System.currentTimeMillis();
        };
    KafkaAnswerStore.Tuning tuning =
        new KafkaAnswerStore.Tuning(LINGER, LONG, 1 << 20, CHECK_EVERY, clock);
    try (KafkaAnswerStore store = new KafkaAnswerStore(server.config(), topic, tuning)) {
      errors.set(3);
      eventually(() -> errors.get() <= 0);
      CompletableFuture<byte[]> follower = store.follow(store.newId());
      server.configure(topic, "cleanup.policy", "compact");
      assertThatThrownBy(() -> get(follower)).hasCauseInstanceOf(AnswerStoreException.class);
    }
  }

  @Test
  void damagedRecord_failsTheLooksOfItsPartitionOnly() throws Exception {
    String two = server.createTopic(2, Map.of());
    String sound;
    String damaged;
    try (KafkaAnswerStore writer = new KafkaAnswerStore(server.config(), two)) {
      String any = writer.newId();
      sound = any.replaceFirst("\\d+", "0");
      damaged = any.replaceFirst("\\d+", "1");
      for (String each : List.of(sound, damaged)) {
        get(writer.complete(each, "the answer".getBytes(US_ASCII)));
      }
    }
    server.damage(two, 1, "the answer");
    try (KafkaAnswerStore store = new KafkaAnswerStore(server.config(), two)) {
      String young = store.newId();
      CompletableFuture<byte[]> live = store.follow(young.replaceFirst("\\d+", "1"));
      for (int i = 0; i < 3; i++) {
        CompletableFuture<byte[]> look = store.follow(damaged);
        assertThat(get(store.follow(sound))).asString().isEqualTo("the answer");
        assertThatThrownBy(() -> get(look)).hasCauseInstanceOf(KafkaException.class);
      }
      get(store.complete(young.replaceFirst("\\d+", "1"), ANSWER));
      assertThat(get(live)).isEqualTo(ANSWER);
    }
  }

  /** Records of others have other times, and are written in transactions that may be aborted. */
  @Test
  void foreignRecords_areIgnored() throws Exception {
    assertThat(
            KafkaAnswerStore.consumerConfig(
                Map.of("isolation.level", "read_committed"), "follow", 1))
        .containsEntry("isolation.level", "read_uncommitted");
    try (KafkaAnswerStore store = open();
        KafkaAnswerStore other = open();
        KafkaProducer<String, byte[]> producer =
            new KafkaProducer<>(
                server.config(), new StringSerializer(), new ByteArraySerializer())) {
      String id = store.newId();
      int partition = Integer.parseInt(id.substring(0, id.indexOf('.')));
      CompletableFuture<byte[]> follower = store.follow(id);
      get(producer.send(new ProducerRecord<>(topic, partition, null, ANSWER)));
      get(producer.send(new ProducerRecord<>(topic, partition, id, null)));
      long past = System.currentTimeMillis() - 5_000;
      get(producer.send(new ProducerRecord<>(topic, partition, past, id, new byte[] {2})));
      assertThat(get(other.complete(id, ANSWER)).won()).isTrue();
      assertThat(get(follower)).isEqualTo(ANSWER);
      assertThat(get(other.follow(id))).isEqualTo(ANSWER);
    }
  }

  @Test
  void partitions_areFollowed_onlyWhileSomebodyWaits() throws Exception {
    try (KafkaAnswerStore store = openImpatient()) {
      assertThat(store.reader.reading().followedPartitions()).isZero();
      CompletableFuture<byte[]> follower = store.follow(store.newId());
      eventually(() -> store.reader.reading().followedPartitions() == 1);
      List<CompletableFuture<byte[]>> own = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        own.add(store.follow("own-" + i));
      }
      eventually(() -> store.reader.reading().followedPartitions() == 3);
      own.forEach(each -> each.cancel(false));
      eventually(() -> store.reader.reading().followedPartitions() == 1);
      follower.cancel(false);
      eventually(() -> store.reader.reading().followedPartitions() == 0);
    }
  }

  @Test
  void instances_haveHomesOfTheirOwn_andAFreeOneIsFoundByALaterInstance() throws Exception {
    String narrow = server.createTopic(3, Map.of());
    AtomicLong ahead = new AtomicLong();
    List<KafkaAnswerStore> stores = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        stores.add(new KafkaAnswerStore(server.config(), narrow, tuning(ahead)));
      }
      eventually(() -> homes(stores).size() == 3);
      try (KafkaAnswerStore fourth = new KafkaAnswerStore(server.config(), narrow, tuning(ahead))) {
        eventually(() -> fourth.agreement.claimed >= 0); // a shared one
        get(fourth.offer(fourth.newId(), ANSWER));
        stores.remove(0).close();
        ahead.set(TimeUnit.MINUTES.toMillis(15)); // the claim of the closed one is over
        stores.add(fourth);
        eventually(() -> homes(stores).size() == 3);
        stores.remove(fourth);
      }
    } finally {
      stores.forEach(KafkaAnswerStore::close);
    }
  }

  private static Set<String> homes(List<KafkaAnswerStore> stores) {
    return stores.stream().map(each -> each.newId().replaceFirst("\\..*", "")).collect(toSet());
  }

  /** Each instance awaits and answers: it reads each record about once. */
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
      long read = stores.stream().mapToLong(each -> each.metrics().read()).sum();
      assertThat(read).isBetween((long) answers, 11L * instances * answers / 10);
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
        new KafkaAnswerStore(server.config(), narrow, tuning(LONG, bound))) {
      List<String> ids = new ArrayList<>();
      long most = 0;
      for (int i = 0; i < 120; i++) {
        ids.add(store.newId());
        byte[] answer = ids.get(i).getBytes(US_ASCII);
        assertThat(get(store.complete(ids.get(i), answer)).won()).isTrue();
        most = Math.max(most, store.metrics().windowBytes());
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
      assertThat(store.metrics().windowBytes()).isLessThanOrEqualTo(bound);
      eventually(() -> store.metrics().windowBytes() == 0);
      assertThat(get(store.complete(ids.get(0), ANSWER)).won()).isFalse();
    }
  }

  @Test
  void answerLargerThanTheWindow_isFound() throws Exception {
    try (KafkaAnswerStore store =
        new KafkaAnswerStore(server.config(), topic, tuning(LONG, 1_000))) {
      String id = store.newId();
      CompletableFuture<byte[]> follower = store.follow(id);
      assertThat(get(store.complete(id, new byte[5_000])).won()).isTrue();
      assertThat(get(follower)).hasSize(5_000);
      assertThat(get(store.complete(id, ANSWER)).won()).isFalse();
      assertThat(store.metrics().windowBytes()).isLessThanOrEqualTo(1_000);
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
      eventually(() -> store.metrics().read() >= others);
      get(answering.complete(id, ANSWER));
      assertThat(get(last)).isEqualTo(ANSWER);
      assertThat(store.metrics().read()).isLessThan(2L * others);
    }
  }

  /** Even if the window is too small for what was written before. */
  @Test
  void ownIdWithATime_doesNotMakeItsPartitionBeReadFromTheBeginning() throws Exception {
    String narrow = server.createTopic(1, Map.of());
    try (KafkaAnswerStore store = new KafkaAnswerStore(server.config(), narrow, 10_000)) {
      eventually(() -> store.agreement.claimed >= 0);
      CompletableFuture<?> last = store.offer(store.newId(), ANSWER);
      for (int i = 0; i < 2_000; i++) {
        last = store.offer(store.newId(), ANSWER);
      }
      get(last);
      TimeUnit.MILLISECONDS.sleep(2);
      long now = System.currentTimeMillis();
      long before = store.metrics().read();
      for (int i = 0; i < 10; i++) {
        String id = "own." + now + ".order-" + i;
        assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
        assertThat(get(store.follow(id))).isEqualTo(ANSWER);
      }
      assertThat(store.metrics().read() - before).isLessThan(100);
      assertThatThrownBy(() -> store.follow("own." + (now + TimeUnit.HOURS.toMillis(2)) + ".order"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(get(store.complete("own", ANSWER)).won()).isTrue(); // reads all, twice
      assertThat(get(store.complete("own", ANSWER)).won()).isFalse();
      assertThat(store.metrics().read() - before).isGreaterThan(2 * 2_000);
      assertThat(store.metrics().windowsRestarted()).isPositive();
      assertThat(store.metrics().written()).isEqualTo(2_001 + 10 + 2);
      assertThat(store.metrics().windowBytes()).isBetween(1L, 10_000L);
    }
    assertThatThrownBy(() -> new KafkaAnswerStore(server.config(), narrow, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a window of -1 bytes");
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
      eventually(() -> store.reader.reading().followedPartitions() == 1);
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
      eventually(() -> store.reader.reading().followedPartitions() == 1);
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
