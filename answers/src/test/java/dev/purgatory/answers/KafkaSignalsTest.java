package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.LONG;
import static dev.purgatory.answers.AnswerStoreContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs on a real broker, and on mocks of Kafka where Kafka must misbehave. */
class KafkaSignalsTest {
  private final KafkaServer server = KafkaServer.shared();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T opened(T each) {
    opened.add(each);
    return each;
  }

  /** An instance that records what it receives. */
  private final class Instance {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    final KafkaSignals signals;

    Instance(Map<String, Object> config, String topic) {
      signals = opened(new KafkaSignals(config, topic, received::add, this::onAdvance));
    }

    Instance(Brokers brokers, int mostWaiting) {
      Hint.Receivers receivers = new Hint.Receivers(received::add, this::onAdvance);
      signals =
          opened(
              new KafkaSignals(
                  "topic", receivers, brokers.consumer, () -> brokers.producer, mostWaiting));
    }

    private void onAdvance(String key, long number) {
      received.add(key + "=" + number);
    }

    String next() throws InterruptedException {
      return String.valueOf(received.poll(LONG.toSeconds(), TimeUnit.SECONDS));
    }
  }

  private static void await(CompletionStage<Void> sent) throws Exception {
    Void unused = get(sent.toCompletableFuture());
  }

  private static Throwable failure(CompletionStage<Void> sent) {
    CompletableFuture<Throwable> failure =
        sent.toCompletableFuture()
            .handle((v, e) -> e instanceof CompletionException ? e.getCause() : e);
    return failure.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Test
  void topic_isChecked() throws Exception {
    assertThatThrownBy(() -> new Instance(server.config(), "missing"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no topic missing");
    String compacted = server.createTopic(1, Map.of("cleanup.policy", "compact"));
    assertThatThrownBy(() -> new Instance(server.config(), compacted))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have cleanup.policy=delete, not compact");
  }

  @Test
  void samples_work_onTwoInstances() throws Exception {
    server.createTopic("signals", 1, Map.of());
    Map<String, String> database = new ConcurrentHashMap<>();
    Purgatory<String> pollsOfA = opened(Purgatory.builder("a", String.class).build());
    Purgatory<String> pollsOfB = opened(Purgatory.builder("b", String.class).build());
    Thresholds<String> appliedAtA = new Thresholds<>(pollsOfA);
    Thresholds<String> appliedAtB = new Thresholds<>(pollsOfB);
    SharedSignals a =
        opened(
            Orders.overKafka(server.bootstrap(), pollsOfA, appliedAtA, ForkJoinPool.commonPool()));
    SharedSignals b =
        opened(
            Orders.overKafka(server.bootstrap(), pollsOfB, appliedAtB, ForkJoinPool.commonPool()));
    HeldFuture<String> paid =
        pollsOfB.until(() -> database.get("7")).forever().hold("7"); // nobody looks again
    new Orders(database, pollsOfA, a).onPaid("7", "receipt");
    assertThat(get(paid)).isEqualTo("receipt");

    HeldFuture<Long> reached = appliedAtA.reach("orders", 42).forever().hold();
    await(b.advance("orders", 43));
    assertThat(get(reached)).isEqualTo(43);
    assertThat(appliedAtB.number("orders")).isEqualTo(43);
  }

  @Test
  void eachSignal_reachesEachInstance_andNoneComesBack() throws Exception {
    String topic = server.createTopic(3, Map.of());
    Instance a = new Instance(server.config(), topic);
    await(a.signals.signal("before"));
    Instance b = new Instance(server.config(), topic);
    Instance c = new Instance(server.config(), topic);
    for (int i = 0; i < 20; i++) {
      Instance sender = List.of(a, b, c).get(i % 3);
      await(sender.signals.signal("key " + i));
      await(sender.signals.advance("key " + i, -i));
    }
    Instance last = new Instance(server.config(), topic);
    await(last.signals.signal("last"));
    assertThat(a.next()).isEqualTo("before");
    List<String> expected =
        IntStream.range(0, 20)
            .boxed()
            .flatMap(i -> Stream.of("key " + i, "key " + i + "=" + -i))
            .toList();
    for (Instance each : List.of(a, b, c)) {
      List<String> received = new ArrayList<>();
      for (String next = each.next(); !next.equals("last"); next = each.next()) {
        received.add(next);
      }
      assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(each.signals.lost()).isZero();
    }
  }

  @Test
  void foreignRecords_andReceiversThatThrow_stopNothing() throws Exception {
    String topic = server.createTopic(1, Map.of());
    Instance a = new Instance(server.config(), topic);
    KafkaSignals broken =
        opened(
            new KafkaSignals(
                server.config(),
                topic,
                key -> {
                  throw new IllegalStateException("thrown by a test");
                },
                a::onAdvance));
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(server.config(), new StringSerializer(), new ByteArraySerializer())) {
      get(producer.send(new ProducerRecord<>(topic, 0, null, new byte[0])));
      get(producer.send(new ProducerRecord<>(topic, 0, "x", null)));
      get(producer.send(new ProducerRecord<>(topic, 0, "x", new byte[] {1})));
      get(producer.send(new ProducerRecord<>(topic, 0, "foreign", new byte[0])));
    }
    assertThat(a.next()).isEqualTo("foreign");
    await(broken.signal("1"));
    assertThat(a.next()).isEqualTo("1");
    await(a.signals.advance("2", 3));
    assertThat(List.of(a.next(), a.next())).containsOnly("2=3"); // own, and at the broken one
  }

  @Tag("long")
  @Test
  void brokerIsKilled_andStartsAgain_nothingIsLost() throws Exception {
    String topic = server.createTopic(1, Map.of());
    Instance a = new Instance(server.config(), topic);
    Instance b = new Instance(server.config(), topic);
    CompletionStage<Void> before = a.signals.signal("before");
    server.restart();
    CompletionStage<Void> after = a.signals.signal("after");
    await(before);
    await(after);
    assertThat(b.next()).isEqualTo("before");
    assertThat(b.next()).isEqualTo("after");
    assertThat(a.signals.lost() + b.signals.lost()).isZero();
  }

  @Test
  void brokerIsAwayForTooLong_signalsFail_andLaterOnesArrive() throws Exception {
    String topic = server.createTopic(1, Map.of());
    Map<String, Object> impatient = new HashMap<>(server.config());
    impatient.put("request.timeout.ms", 300);
    impatient.put("delivery.timeout.ms", 600);
    Instance a = new Instance(impatient, topic);
    Instance b = new Instance(server.config(), topic);
    await(a.signals.signal("before"));
    assertThat(b.next()).isEqualTo("before");
    server.node().pause();
    try {
      assertThat(failure(a.signals.signal("meanwhile"))).isInstanceOf(TimeoutException.class);
      assertThat(a.received).contains("meanwhile");
      assertThat(a.signals.lost()).isEqualTo(1);
    } finally {
      server.node().resume();
    }
    String last = "";
    for (int i = 0; !last.equals("after"); i++) { // "meanwhile" may come, too
      assertThat(i).isLessThan(100);
      CompletionStage<Void> unused = a.signals.signal("after");
      last = b.next();
    }
  }

  /** Mocks of a producer whose records the test completes, and of a consumer. */
  private static final class Brokers {
    volatile @Nullable RuntimeException refusal;
    volatile @Nullable RuntimeException unreadable;
    final MockConsumer<String, byte[]> consumer =
        new MockConsumer<>("none") {
          @Override
          public synchronized long position(TopicPartition partition, Duration timeout) {
            RuntimeException thrown = unreadable;
            if (thrown != null) {
              throw thrown;
            }
            return super.position(partition, timeout);
          }
        };
    final MockProducer<String, byte[]> producer =
        new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
            RuntimeException thrown = refusal;
            Future<RecordMetadata> sent = super.send(record);
            return thrown == null ? sent : CompletableFuture.failedFuture(thrown);
          }
        };

    Brokers() {
      TopicPartition partition = new TopicPartition("topic", 0);
      consumer.updateEndOffsets(Map.of(partition, 5L));
      consumer.updateBeginningOffsets(Map.of(partition, 3L));
    }

    /** Returns when so many records were handed over since the start. */
    void awaitSent(int records) throws InterruptedException {
      long begin = System.nanoTime();
      while (producer.history().size() < records) {
        assertThat(System.nanoTime() - begin).isLessThan(LONG.toNanos());
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  @Test
  void signalsOfAKey_areMerged_whileOthersAreUnderWay() throws Exception {
    Brokers brokers = new Brokers();
    Instance a = new Instance(brokers, 2);
    CompletionStage<Void> first = a.signals.signal("a");
    brokers.awaitSent(1);
    List<CompletionStage<Void>> merged =
        IntStream.rangeClosed(1, 100).mapToObj(i -> a.signals.advance("n", 100 - i)).toList();
    CompletionStage<Void> again = a.signals.signal("a");
    assertThat(failure(a.signals.signal("one too many")))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(a.received).hasSize(103).contains("one too many");
    assertThat(a.signals.lost()).isEqualTo(1);

    assertThat(brokers.producer.completeNext()).isTrue();
    await(first);
    brokers.awaitSent(3);
    assertThat(merged.get(0).toCompletableFuture()).isNotDone();
    assertThat(brokers.producer.completeNext()).isTrue();
    assertThat(brokers.producer.completeNext()).isTrue();
    for (CompletionStage<Void> each : merged) {
      await(each);
    }
    await(again);
    assertThat(brokers.producer.history())
        .extracting(ProducerRecord::key)
        .containsExactly("a", "n", "a");
    assertThat(brokers.producer.history().get(1).value()).endsWith(99);
  }

  /** It does not wait for each of them. */
  @Test
  void unavailableBroker_failsAllSignalsThatWait_butATooLargeOneFailsAlone() throws Exception {
    Brokers brokers = new Brokers();
    Instance a = new Instance(brokers, 100);
    CompletionStage<Void> first = a.signals.signal("first");
    brokers.awaitSent(1);
    brokers.refusal = new TimeoutException("thrown by a test");
    List<CompletionStage<Void>> waiting =
        IntStream.range(0, 50).mapToObj(i -> a.signals.signal("key " + i)).toList();
    assertThat(brokers.producer.completeNext()).isTrue();
    await(first);
    for (CompletionStage<Void> each : waiting) {
      assertThat(failure(each)).isSameAs(brokers.refusal);
    }
    assertThat(brokers.producer.history()).hasSize(2);
    assertThat(a.signals.lost()).isEqualTo(50);

    brokers.refusal = new RecordTooLargeException("thrown by a test");
    assertThat(failure(a.signals.signal("large"))).isSameAs(brokers.refusal);
    assertThat(a.signals.lost()).isEqualTo(51);
  }

  @Test
  void deletedSignals_areCounted_andReadingGoesOn() throws Exception {
    Brokers brokers = new Brokers();
    Instance a = new Instance(brokers, 100);
    TopicPartition partition = new TopicPartition("topic", 0);
    brokers.consumer.schedulePollTask(
        () -> {
          assertThat(brokers.consumer.position(partition, Duration.ZERO)).isEqualTo(5);
          brokers.consumer.setPollException(new OffsetOutOfRangeException(Map.of(partition, 5L)));
        });
    brokers.consumer.schedulePollTask(
        () -> brokers.consumer.addRecord(new ConsumerRecord<>("topic", 0, 3, "left", new byte[0])));
    assertThat(a.next()).isEqualTo("left");
    assertThat(a.signals.lost()).isEqualTo(1);
  }

  @Test
  void damagedRecord_isCounted_andReadingGoesOnBehindIt() throws Exception {
    Brokers brokers = new Brokers();
    Instance a = new Instance(brokers, 100);
    brokers.consumer.schedulePollTask(
        () -> {
          brokers.consumer.addRecord(new ConsumerRecord<>("topic", 0, 5, "damaged", new byte[0]));
          brokers.consumer.addRecord(new ConsumerRecord<>("topic", 0, 6, "next", new byte[0]));
          brokers.consumer.setPollException(new KafkaException("thrown by a test"));
        });
    assertThat(a.next()).isEqualTo("next");
    assertThat(a.signals.lost()).isEqualTo(1);
  }

  @Test
  void refusedAccess_isNotTheEndOfReading() throws Exception {
    Brokers brokers = new Brokers();
    Instance a = new Instance(brokers, 100);
    brokers.consumer.schedulePollTask(
        () -> brokers.consumer.setPollException(new TopicAuthorizationException("topic")));
    brokers.consumer.schedulePollTask(
        () ->
            brokers.consumer.addRecord(
                new ConsumerRecord<>("topic", 0, 5, "granted", new byte[0])));
    assertThat(a.next()).isEqualTo("granted");
    assertThat(a.signals.lost()).isZero();
  }

  /** Neither the thread that reads nor the one that sends ends by what foreign code does. */
  @Test
  void errorsAndInterrupts_endNoThread_andReachNoOther() throws Exception {
    Brokers brokers = new Brokers();
    Queue<String> received = new ConcurrentLinkedQueue<>();
    Hint.Receivers receivers =
        new Hint.Receivers(
            key -> {
              received.add(key + " " + Thread.currentThread().isInterrupted());
              Thread.currentThread().interrupt();
              throw new OutOfMemoryError("thrown by a test");
            },
            (key, number) -> {});
    KafkaSignals signals =
        opened(new KafkaSignals("topic", receivers, brokers.consumer, () -> brokers.producer, 100));
    brokers.consumer.schedulePollTask(
        () -> {
          throw new LinkageError("thrown by a test");
        });
    brokers.consumer.schedulePollTask(
        () -> {
          for (int i = 0; i < 3; i++) {
            brokers.consumer.addRecord(
                new ConsumerRecord<>("topic", 0, 5 + i, "key " + i, new byte[0]));
          }
        });
    long begin = System.nanoTime();
    while (received.size() < 3) {
      assertThat(System.nanoTime() - begin).isLessThan(LONG.toNanos());
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(received).containsExactly("key 0 false", "key 1 false", "key 2 false");

    for (int i = 0; i < 20; i++) {
      CompletionStage<Void> sent = signals.signal("sent " + i);
      CompletionStage<Void> unused =
          sent.whenComplete((v, e) -> Thread.currentThread().interrupt());
      assertThat(Thread.interrupted()).isTrue(); // by the receiver, on this thread
      brokers.awaitSent(i + 1);
      assertThat(brokers.producer.completeNext()).isTrue();
      await(sent);
    }
    assertThat(signals.lost()).isZero();
  }

  @Test
  void closing_failsWhatWaits_andEndsAllThreads() throws Exception {
    Brokers brokers = new Brokers();
    Instance a = new Instance(brokers, 100);
    CompletionStage<Void> underWay = a.signals.signal("1");
    brokers.awaitSent(1);
    assertThat(brokers.producer.errorNext(new TimeoutException("thrown by a test"))).isTrue();
    assertThat(failure(underWay)).isInstanceOf(TimeoutException.class);
    a.signals.close();
    assertThat(failure(a.signals.signal("2"))).isInstanceOf(IllegalStateException.class);
    assertThat(a.received).containsExactly("1", "2");
    assertThat(brokers.consumer.closed()).isTrue();
    assertThat(brokers.producer.closed()).isTrue();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("purgatory-signals"));
  }

  @Test
  void unreadableTopic_isReported() {
    Brokers brokers = new Brokers();
    brokers.unreadable = new TimeoutException("thrown by a test");
    assertThatThrownBy(() -> new Instance(brokers, 1))
        .isInstanceOf(AnswerStoreException.class)
        .hasMessage("cannot read the topic topic");
    assertThat(brokers.consumer.closed()).isTrue();
    assertThat(brokers.producer.closed()).isTrue();
  }
}
