package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Finds the first record of ids in a topic, on one thread. */
final class LogReader {

  /*
   * Each partition in use has one position, at the end of its window, and the looks that it serves: see
   * PartitionReader. While a partition catches up, the past consumer reads it; a broker answers this one at once. At the
   * end of the log, the live consumer follows it, if somebody follows an id there; a broker holds its fetches until
   * there is a record. Where nobody looks, nobody reads. Both consumers have all partitions, and pause the
   * others: without any partition, a consumer would ask for the metadata of the topic each time.
   *
   * All fields without a comment belong to the thread. Others hand it commands through the inbox. It wakes
   * up the live consumer only: calls that ask a broker are made on the other one, and must not be cut short.
   * After an exception, the work that is left stays queued, and the next step tries again: while brokers are away,
   * nothing is lost and futures stay incomplete. A poll that fails in another way, as at a damaged record, fails
   * the futures of one partition: see Poll. Other exceptions, such as a refused access, and errors fail all futures.
   *
   * Besides the windows, memory holds an entry for each followed id, and for at most 10,000 ids
   * that nobody has followed for a short time, so that a client which polls does not begin a look each time.
   *
   * Rejected: one consumer (its fetches would either delay each look or never rest); reading on where nobody
   * follows (each instance would soon read all partitions).
   */

  static final long THE_END = Look.THE_END;

  private static final long LIVE_POLL_MILLIS = 1_000;
  private static final Duration PAST_POLL = Duration.ofMillis(20);
  private static final Duration QUERY = Duration.ofSeconds(1);
  private static final long STOP_MILLIS = 10_000;
  private static final int MOST_IDLE = 10_000;

  /**
   * Where the records of an id are.
   *
   * @param since none is older, in milliseconds since 1970; 0: unknown
   */
  record Place(String id, TopicPartition partition, long since) {}

  /** Looks once, up to the record of this instance, or to the end. */
  private static final class Question extends Look {
    final CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> result =
        new CompletableFuture<>();

    /** When to give up, by {@code System.nanoTime}. */
    final long deadline;

    Question(Place place, long until, long deadline) {
      super(place, until);
      this.deadline = deadline;
    }

    @Override
    boolean isDone() {
      return result.isDone();
    }

    @Override
    void end(@Nullable ConsumerRecord<String, byte[]> first) {
      Foreign.call(() -> result.complete(Optional.ofNullable(first)));
    }

    @Override
    void fail(Throwable error) {
      Foreign.call(() -> result.completeExceptionally(error));
    }

    void giveUp(long now) {
      if (deadline - now <= 0) {
        fail(new TimeoutException("the first answer was not found in time"));
      }
    }
  }

  /** Looks until there is a record. */
  private final class Followed extends Look {
    final Set<CompletableFuture<byte[]>> followers = new HashSet<>(2);
    long idleSince;

    Followed(Place place) {
      super(place, Look.FOREVER);
    }

    @Override
    boolean isDone() {
      return followed.get(place.id()) != this;
    }

    @Override
    void end(@Nullable ConsumerRecord<String, byte[]> first) {
      byte[] answer = requireNonNull(first).value();
      followers.forEach(follower -> Foreign.call(() -> follower.complete(answer)));
      remove(this);
    }

    @Override
    void fail(Throwable error) {
      followers.forEach(follower -> Foreign.call(() -> follower.completeExceptionally(error)));
      remove(this);
    }
  }

  private final String unavailable;
  private final Consumer<String, byte[]> live;
  private final Consumer<String, byte[]> past;
  private final Poll livePoll;
  private final Poll pastPoll;
  private final long lingerNanos;
  private final Duration liveTimeout;
  private final long patienceNanos;
  private final long windowBytes;
  private final Thread thread;

  /** Commands from other threads. Its lock guards {@link #ended}. */
  private final LinkedBlockingQueue<Runnable> inbox = new LinkedBlockingQueue<>();

  private boolean ended;

  /**
   * Whether the live consumer waits, or is about to. A thread that reads false has its command
   * seen.
   */
  private volatile boolean polling;

  private final AtomicLong recordsRead = new AtomicLong();

  /** Written by the thread, read by all. */
  private volatile Reading reading = new Reading(0, 0, 0, 0);

  /**
   * What has not ended, as are the next. A partition may lose some of it where there is no memory.
   */
  private final Set<Question> questions = new HashSet<>();

  private final Map<String, Followed> followed = new HashMap<>();
  private final Set<Followed> idle = new LinkedHashSet<>();
  private final Map<TopicPartition, PartitionReader> partitions = new HashMap<>();

  /** Taken from the inbox, and not done yet. */
  private @Nullable Runnable command;

  private boolean closing;
  private long windowsBegunAnew;

  /**
   * What the thread does.
   *
   * @param followedPartitions in how many partitions somebody follows an id
   * @param looks how many looks have not ended, without those of ids that are followed
   * @param windowBytes how much is kept of what was read
   * @param windowsBegunAnew how often an id was older than the window of its partition
   */
  record Reading(int followedPartitions, int looks, long windowBytes, long windowsBegunAnew) {}

  LogReader(
      String topic,
      int partitions,
      Consumer<String, byte[]> live,
      Consumer<String, byte[]> past,
      Duration linger,
      Duration patience,
      long windowBytes) {
    this.unavailable = "Kafka is unavailable; waits for answers in the topic " + topic + " go on";
    this.live = live;
    this.past = past;
    this.livePoll = new Poll(live, records -> read(live, records), (p, e) -> of(p).fail(e));
    this.pastPoll = new Poll(past, records -> read(past, records), (p, e) -> of(p).fail(e));
    this.lingerNanos = linger.toNanos();
    this.liveTimeout = Duration.ofMillis(Math.min(LIVE_POLL_MILLIS, linger.toMillis()));
    this.patienceNanos = patience.toNanos();
    this.windowBytes = windowBytes;
    List<TopicPartition> all =
        IntStream.range(0, partitions).mapToObj(i -> new TopicPartition(topic, i)).toList();
    for (Consumer<String, byte[]> each : List.of(live, past)) {
      each.assign(all);
      each.pause(all);
      all.forEach(partition -> each.seek(partition, 0));
    }
    this.thread = Loop.start("purgatory-answers-" + topic, this::run, this::react);
  }

  /** Returns a future that completes with the first record. */
  CompletableFuture<byte[]> follow(Place place) {
    CompletableFuture<byte[]> follower = new CompletableFuture<>();
    var unused = // first: nobody could leave if there was no memory for it
        follower.whenComplete(
            (answer, error) -> {
              if (error != null) {
                submit(() -> leave(place.id(), follower));
              }
            });
    if (!submit(() -> begin(place, follower))) {
      return CompletableFuture.failedFuture(Followers.closedException());
    }
    return follower;
  }

  /**
   * Returns a future that completes with the first record before an offset, or with nothing.
   *
   * @param until the offset; {@link #THE_END} for the present end
   */
  CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> look(Place place, long until) {
    Question question = new Question(place, until, System.nanoTime() + patienceNanos);
    if (!submit(() -> begin(question))) {
      question.result.completeExceptionally(Followers.closedException());
    }
    return question.result;
  }

  long recordsRead() {
    return recordsRead.get();
  }

  Reading reading() {
    return reading;
  }

  /** Fails all futures that are not done. */
  void fail(Throwable error) {
    submit(() -> failAll(error));
  }

  void close() {
    if (submit(() -> closing = true)) {
      Loop.join(thread, STOP_MILLIS);
    }
  }

  /** Returns false if the thread has ended. */
  private boolean submit(Runnable command) {
    synchronized (inbox) {
      if (ended) {
        return false;
      }
      inbox.add(command);
    }
    if (polling) { // racy: a late wake-up only ends a poll early
      live.wakeup();
    }
    return true;
  }

  private boolean run() throws InterruptedException {
    if (!closing) {
      step();
      return true;
    }
    synchronized (inbox) {
      ended = true;
    }
    obey();
    failAll(Followers.closedException());
    closeQuietly(live);
    closeQuietly(past);
    return false;
  }

  private void react(Throwable failure) {
    if (failure instanceof WakeupException // it came late: the next step sees the command
        || failure instanceof InterruptException
        || failure instanceof InterruptedException) { // meant for a dependent
      return;
    }
    if (failure instanceof RetriableException e) {
      Foreign.warn(unavailable, e);
    } else {
      failAll(failure);
      Foreign.log(Level.ERROR, "Answers cannot be read; all waits for them fail", failure);
    }
    Loop.pause();
  }

  static void closeQuietly(Consumer<?, ?> consumer) {
    try {
      consumer.close(CloseOptions.timeout(QUERY));
    } catch (Throwable e) {
      Foreign.log(Level.WARNING, "A consumer was not closed in order", e);
    }
  }

  private void step() throws InterruptedException {
    if (command == null && partitions.values().stream().noneMatch(PartitionReader::hasLooks)) {
      command = partitions.isEmpty() ? inbox.take() : inbox.poll(lingerNanos, TimeUnit.NANOSECONDS);
    }
    obey();
    if (closing) {
      return;
    }
    forget(System.nanoTime());
    beginAnew();
    partitions.values().forEach(each -> each.move(live, past));
    if (isReading(past)) {
      pastPoll.all(PAST_POLL);
    } else if (!isReading(live) && partitions.values().stream().anyMatch(PartitionReader::waits)) {
      Loop.pause();
    }
    if (isReading(live)) {
      readLive();
    }
    reading =
        new Reading(
            (int) partitions.values().stream().filter(PartitionReader::isFollowed).count(),
            (int) questions.stream().filter(each -> !each.isDone()).count(),
            sum(PartitionReader::windowBytes),
            windowsBegunAnew);
  }

  private boolean isReading(Consumer<String, byte[]> consumer) {
    return partitions.values().stream().anyMatch(each -> each.isReadBy(consumer));
  }

  private long sum(ToLongFunction<PartitionReader> number) {
    return partitions.values().stream().mapToLong(number).sum();
  }

  // Commands. One that an Error interrupts is run again.

  private void obey() {
    for (command = command == null ? inbox.poll() : command;
        command != null;
        command = inbox.poll()) {
      command.run();
    }
  }

  private PartitionReader of(TopicPartition partition) {
    return partitions.computeIfAbsent(partition, PartitionReader::new);
  }

  private void begin(Question question) {
    questions.add(question);
    of(question.place.partition()).add(question);
  }

  private void begin(Place place, CompletableFuture<byte[]> follower) {
    if (follower.isDone()) {
      return;
    }
    Followed entry = followed.get(place.id());
    if (entry == null) {
      entry = new Followed(place);
      followed.put(place.id(), entry);
      of(place.partition()).add(entry);
    }
    idle.remove(entry);
    entry.followers.add(follower);
  }

  @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself only
  private void leave(String id, CompletableFuture<byte[]> follower) {
    Followed entry = followed.get(id);
    if (entry != null && entry.followers.remove(follower) && entry.followers.isEmpty()) {
      entry.idleSince = System.nanoTime();
      idle.add(entry);
    }
  }

  private void remove(Followed entry) {
    followed.remove(entry.place.id());
    idle.remove(entry);
  }

  // Steps.

  private void forget(long now) {
    while (!idle.isEmpty()) {
      Followed oldest = idle.iterator().next();
      if (idle.size() <= MOST_IDLE && now - oldest.idleSince < lingerNanos) {
        break;
      }
      remove(oldest);
      of(oldest.place.partition()).remove(oldest);
    }
    questions.forEach(each -> each.giveUp(now));
    questions.removeIf(Look::isDone);
    partitions.values().forEach(PartitionReader::forgetDone);
    partitions.values().removeIf(each -> !each.isInUse(now, lingerNanos));
  }

  /** Begins a new window where looks need one. */
  private void beginAnew() {
    Map<TopicPartition, PartitionReader> needy = new HashMap<>();
    partitions.forEach(
        (partition, each) -> {
          if (each.needsTheEnd()) {
            needy.put(partition, each);
          }
        });
    Map<TopicPartition, Long> ends = endOffsets(needy.keySet());
    needy.entrySet().removeIf(each -> !each.getValue().needsToBegin(ends.get(each.getKey())));
    Map<TopicPartition, Long> times = new HashMap<>();
    needy.forEach((partition, each) -> each.since().ifPresent(t -> times.put(partition, t)));
    Map<TopicPartition, OffsetAndTimestamp> begins =
        times.isEmpty() ? Map.of() : past.offsetsForTimes(times, QUERY);
    needy.forEach(
        (partition, each) -> {
          if (each.begin(requireNonNull(ends.get(partition)), begins.get(partition))) {
            windowsBegunAnew++;
          }
        });
    if (!needy.isEmpty()) {
      partitions.values().forEach(each -> each.trim(share()));
    }
  }

  private long share() {
    return windowBytes / Math.max(1, sum(each -> each.hasWindow() ? 1 : 0));
  }

  /**
   * Returns the ends of partitions; of some, if others have no broker now. Then each call begins
   * with another one, so that those without a broker hold up none of the others for long.
   */
  private Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> of) {
    if (of.isEmpty()) {
      return Map.of();
    }
    try {
      return past.endOffsets(of, QUERY);
    } catch (RetriableException e) {
      List<TopicPartition> anyOrder = new ArrayList<>(of);
      Collections.shuffle(anyOrder);
      Map<TopicPartition, Long> ends = new HashMap<>();
      try {
        for (TopicPartition each : anyOrder) {
          ends.putAll(past.endOffsets(Set.of(each), QUERY));
        }
      } catch (RetriableException again) {
        Foreign.warn(unavailable, again);
      }
      return ends;
    }
  }

  private void readLive() {
    boolean busy = isReading(past) || partitions.values().stream().anyMatch(PartitionReader::waits);
    polling = true;
    try {
      livePoll.all(busy || !inbox.isEmpty() ? Duration.ZERO : liveTimeout);
    } catch (WakeupException e) {
      // There are commands.
    } finally {
      polling = false;
    }
  }

  private void read(Consumer<String, byte[]> consumer, ConsumerRecords<String, byte[]> records) {
    recordsRead.addAndGet(records.count());
    List<PartitionReader> all =
        partitions.values().stream().filter(each -> each.isReadBy(consumer)).toList();
    all.forEach(each -> each.read(records, share()));
    all.forEach(each -> each.check(consumer));
  }

  private void failAll(Throwable error) {
    questions.forEach(each -> each.fail(error));
    questions.clear();
    List.copyOf(followed.values()).forEach(each -> each.fail(error));
    partitions.clear();
    try {
      live.pause(live.assignment());
      past.pause(past.assignment());
    } catch (RuntimeException e) {
      Foreign.log(Level.WARNING, "A consumer cannot stop reading", e);
    }
  }
}
