package dev.purgatory.cluster.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * The producers and consumers of a cluster.
 *
 * <p>A quarter of the consumers long-poll one busy partition each. The others long-poll ten quiet
 * partitions each, which are spread over all nodes. In addition, a verifying reader reads all
 * messages and records them in a ledger, which shows whether a message was lost.
 */
public final class ClusterLoad implements AutoCloseable {
  private static final int PRODUCERS = 3;
  private static final int CONSUMERS_PER_BUSY_ONE = 4;
  private static final int QUIET_PARTITIONS_EACH = 10;
  private static final int HISTOGRAM_DIGITS = 3;
  private static final Duration SETTLE_PATIENCE = Duration.ofSeconds(45);
  private static final long JOIN_MILLIS = 5_000;
  private static final long PAUSE_MILLIS = 50;

  private final String bootstrap;
  private final MessageLedger ledger = new MessageLedger(PRODUCERS);
  private final ClientErrors errors = new ClientErrors();
  private final LongAdder delivered = new LongAdder();
  private final Recorder latencyMicros = new Recorder(HISTOGRAM_DIGITS);
  private final List<LongPoller> pollers = new ArrayList<>();
  private final List<Sender> senders = new ArrayList<>();

  private ClusterLoad(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  /**
   * Creates the topics and starts all clients.
   *
   * @param bootstrap the address of the cluster
   * @param consumers the number of long-polling consumers
   * @throws LoadFailure if the topics cannot be created
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static ClusterLoad start(String bootstrap, int consumers) throws InterruptedException {
    Topics.create(bootstrap);
    ClusterLoad load = new ClusterLoad(bootstrap);
    load.startReader();
    for (int i = 0; i < consumers; i++) {
      load.startConsumer(i);
    }
    for (int i = 0; i < PRODUCERS; i++) {
      load.startProducer(i);
    }
    return load;
  }

  private void startReader() {
    start(
        new LongPoller(
            "verifying-reader",
            Clients.consumer(bootstrap),
            Topics.all(),
            ledger::received,
            errors::add));
  }

  private void startConsumer(int number) {
    start(
        new LongPoller(
            "consumer-" + number,
            Clients.consumer(bootstrap),
            assignment(number),
            message -> delivered.increment(),
            errors::add));
  }

  private void start(LongPoller poller) {
    pollers.add(poller);
    poller.start();
  }

  private static List<TopicPartition> assignment(int number) {
    return number % CONSUMERS_PER_BUSY_ONE == 0
        ? Topics.partitions(Topics.BUSY, number / CONSUMERS_PER_BUSY_ONE, 1, Topics.BUSY_PARTITIONS)
        : Topics.partitions(Topics.QUIET, number, QUIET_PARTITIONS_EACH, Topics.QUIET_PARTITIONS);
  }

  private void startProducer(int number) {
    Sender sender =
        new Sender(number, Clients.producer(bootstrap), ledger, latencyMicros, errors::add);
    senders.add(sender);
    sender.start();
  }

  /** Returns the number of acknowledged messages so far. */
  public long acknowledged() {
    return ledger.acknowledged();
  }

  /** Returns the number of messages that the verifying reader has received so far. */
  public long received() {
    return ledger.received();
  }

  /**
   * Stops the producers and waits until every message they sent is acknowledged or has failed.
   *
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void stopProducing() throws InterruptedException {
    senders.forEach(Sender::stop);
    for (Sender sender : senders) {
      sender.join(SETTLE_PATIENCE);
    }
  }

  /**
   * Waits until the verifying reader has received all acknowledged messages.
   *
   * @param patience the longest time to wait
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void awaitReceived(Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (ledger.missing() > 0 && System.nanoTime() - deadline < 0) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /** Returns the findings of the verifying reader. Messages that are missing now count as lost. */
  public Reading reading() {
    return ledger.reading();
  }

  /**
   * Reads all messages again from the beginning with a new consumer. Call this after the producers
   * have stopped.
   *
   * @param patience the longest time to wait for the next message; after that, missing messages
   *     count as lost
   */
  public Reading readBack(Duration patience) {
    MessageLedger again = ledger.forAnotherReader();
    try (ReadBack reader = new ReadBack(Clients.consumer(bootstrap), again)) {
      reader.read(patience);
    } catch (KafkaException e) {
      errors.add(e);
    }
    return again.reading();
  }

  /**
   * Returns the statistics of the clients. Call this once, after they have stopped. Messages that
   * are missing now count as lost.
   */
  public LoadStats stats() {
    Histogram latency = latencyMicros.getIntervalHistogram();
    return new LoadStats(
        ledger.sent(),
        ledger.acknowledged(),
        ledger.received(),
        ledger.missing(),
        ledger.duplicates(),
        delivered.sum(),
        latency,
        errors.count(),
        errors.first());
  }

  /** Stops all clients, without waiting for messages in flight. */
  @Override
  public void close() {
    senders.forEach(Sender::stop);
    pollers.forEach(LongPoller::stop);
    try {
      for (LongPoller poller : pollers) {
        poller.join(JOIN_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
