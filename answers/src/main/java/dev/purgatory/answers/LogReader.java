package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Finds the first record of ids in a topic, on one thread. */
final class LogReader {

  /*
   * To follow an id is to look, follow, and look again, in one pass over the offsets. The live consumer reads
   * each followed partition from its end on. The past consumer looks for the id from the time when it was made
   * to the offset from which the live one reads. Until that look is done, a record that the live consumer
   * finds is only a candidate, as there may be an earlier one. So each record of the id is seen once, by one
   * of the two, and the first is known to be the first.
   *
   * To find out who was first with an answer, a look up to its record is enough; nothing is followed.
   *
   * The past consumer makes at most one pass over a partition at a time, for all looks that have come until
   * it begins. Later ones wait for the next pass: if each look moved the position back, none would end. Two
   * consumers, so that no look into the distant past delays what comes now. The past one has all partitions
   * and is paused on those without a pass: without any, it would ask for the metadata of the topic each time.
   *
   * All fields without a comment belong to the thread. Others hand it commands through the inbox. It wakes
   * up the live consumer only: calls that ask a broker are made on the other one, and must not be cut short.
   * An exception leaves what was not done where it is, and the next step tries again: while brokers are away,
   * nothing is lost and futures stay incomplete. Exceptions that trying again does not mend, such as a refused
   * access, fail all futures.
   *
   * What is kept: an entry for each id that somebody follows, and for at most 10,000 that nobody has followed
   * for a short time, so that a client that polls does not make its partition be read again each time. No
   * answer is kept.
   */

  static final long THE_END = Long.MAX_VALUE;

  private static final System.Logger LOG = System.getLogger("dev.purgatory");
  private static final long LIVE_POLL_MILLIS = 1_000;
  private static final Duration PAST_POLL = Duration.ofMillis(20);
  private static final Duration QUERY = Duration.ofSeconds(1);
  private static final long PAUSE_MILLIS = 100;
  private static final long STOP_MILLIS = 10_000;
  private static final int MOST_IDLE = 10_000;
  private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Nanoseconds until a time that does not come, but can be compared. */
  private static final long NEVER = Long.MAX_VALUE / 2;

  /**
   * Where the records of an id are.
   *
   * @param since none is older, in milliseconds since 1970; 0: unknown
   */
  record Place(String id, TopicPartition partition, long since) {}

  /** An id that is followed. */
  private static final class Followed {
    final Place place;
    final Set<CompletableFuture<byte[]>> followers = new HashSet<>(2);

    /** Whether there is no record before those that the live consumer reads. */
    boolean looked;

    byte @Nullable [] candidate;
    long idleSince;

    Followed(Place place) {
      this.place = place;
    }
  }

  /** Looks for the first record of an id before an offset. */
  private static final class Look {
    final Place place;

    /** When to give up, by {@code System.nanoTime}. */
    final long deadline;

    final CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> result =
        new CompletableFuture<>();

    long until;

    Look(Place place, long until, long deadline) {
      this.place = place;
      this.until = until;
      this.deadline = deadline;
    }
  }

  /** One pass over a partition, for some looks. */
  private static final class Pass {
    final Map<String, List<Look>> looks = new HashMap<>();

    void see(ConsumerRecord<String, byte[]> record) {
      List<Look> found = looks.get(record.key());
      if (found != null && record.value() != null) {
        found.removeIf(
            look -> record.offset() < look.until && look.result.complete(Optional.of(record)));
      }
    }

    /** Ends the looks that need no later records; returns whether these were all. */
    boolean reach(long position) {
      looks
          .values()
          .removeIf(
              all -> {
                all.removeIf(
                    look ->
                        look.result.isDone()
                            || (look.until <= position && look.result.complete(Optional.empty())));
                return all.isEmpty();
              });
      return looks.isEmpty();
    }
  }

  private final Consumer<String, byte[]> live;
  private final Consumer<String, byte[]> past;
  private final long lingerNanos;
  private final Duration livePoll;
  private final long patienceNanos;
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

  /** Written by the thread, read by tests. */
  private volatile int followedPartitions;

  private final Map<String, Followed> followed = new HashMap<>();
  private final Map<TopicPartition, Integer> followedIn = new HashMap<>();
  private final Set<Followed> idle = new LinkedHashSet<>();
  private final Set<Followed> fresh = new LinkedHashSet<>();
  private final List<Look> looks = new ArrayList<>();
  private final Map<TopicPartition, Pass> passes = new HashMap<>();
  private boolean closing;
  private long warned = System.nanoTime() - WARN_NANOS;

  LogReader(
      String topic,
      int partitions,
      Consumer<String, byte[]> live,
      Consumer<String, byte[]> past,
      Duration linger,
      Duration patience) {
    this.live = live;
    this.past = past;
    this.lingerNanos = linger.toNanos();
    this.livePoll = Duration.ofMillis(Math.min(LIVE_POLL_MILLIS, linger.toMillis()));
    this.patienceNanos = patience.toNanos();
    past.assign(
        IntStream.range(0, partitions).mapToObj(i -> new TopicPartition(topic, i)).toList());
    past.pause(past.assignment());
    past.assignment().forEach(partition -> past.seek(partition, 0));
    this.thread = new Thread(this::run, "purgatory-answers-" + topic);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns a future that completes with the first record. */
  CompletableFuture<byte[]> follow(Place place) {
    CompletableFuture<byte[]> follower = new CompletableFuture<>();
    if (!submit(() -> begin(place, follower))) {
      return CompletableFuture.failedFuture(Followers.closedException());
    }
    var unused =
        follower.whenComplete(
            (answer, error) -> {
              if (follower.isCancelled()) {
                boolean unusedToo = submit(() -> leave(place.id(), follower));
              }
            });
    return follower;
  }

  /**
   * Returns a future that completes with the first record before an offset, or with nothing.
   *
   * @param until the offset; {@link #THE_END} for what is there now
   */
  CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> look(Place place, long until) {
    Look look = new Look(place, until, System.nanoTime() + patienceNanos);
    if (!submit(() -> looks.add(look))) {
      look.result.completeExceptionally(Followers.closedException());
    }
    return look.result;
  }

  long recordsRead() {
    return recordsRead.get();
  }

  int followedPartitions() {
    return followedPartitions;
  }

  void close() {
    if (submit(() -> closing = true)) {
      try {
        thread.join(STOP_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
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

  private void run() {
    while (!closing) {
      try {
        step();
      } catch (WakeupException e) {
        // It came late: the next step sees the command.
      } catch (RetriableException e) {
        warn(e);
        pause();
      } catch (Throwable e) {
        LOG.log(Level.ERROR, "Answers cannot be read; all waits for them fail", e);
        failAll(e);
        pause();
      }
    }
    synchronized (inbox) {
      ended = true;
    }
    inbox.forEach(Runnable::run);
    failAll(Followers.closedException());
    closeQuietly(live);
    closeQuietly(past);
  }

  /** Logs once a minute that brokers are away. */
  private void warn(RetriableException e) {
    long now = System.nanoTime();
    if (now - warned >= WARN_NANOS) {
      warned = now;
      LOG.log(Level.WARNING, "Kafka is unavailable; waits for answers go on", e);
    }
  }

  private static void closeQuietly(Consumer<?, ?> consumer) {
    try {
      consumer.close(CloseOptions.timeout(QUERY));
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "A consumer was not closed in order", e);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      // Nobody but a debugger interrupts this thread; it ends when it is closed.
    }
  }

  private void step() throws InterruptedException {
    boolean idling = followed.isEmpty() && looks.isEmpty() && passes.isEmpty();
    Runnable next = idling && live.assignment().isEmpty() ? inbox.take() : inbox.poll();
    for (; next != null; next = inbox.poll()) {
      next.run();
    }
    if (closing) {
      return;
    }
    forget(System.nanoTime());
    boolean busy = !fresh.isEmpty() || !looks.isEmpty() || !passes.isEmpty();
    readLive(busy ? Duration.ZERO : livePoll);
    assignLive();
    startPasses();
    readPast();
  }

  // Commands.

  private void begin(Place place, CompletableFuture<byte[]> follower) {
    if (follower.isDone()) {
      return;
    }
    Followed entry = followed.get(place.id());
    if (entry == null) {
      entry = new Followed(place);
      followed.put(place.id(), entry);
      followedIn.merge(place.partition(), 1, Integer::sum);
      fresh.add(entry);
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
    fresh.remove(entry);
    followed.remove(entry.place.id());
    followedIn.computeIfPresent(entry.place.partition(), (p, ids) -> ids == 1 ? null : ids - 1);
    idle.remove(entry);
  }

  // Steps.

  private void forget(long now) {
    for (Iterator<Followed> each = idle.iterator(); each.hasNext(); ) {
      Followed oldest = each.next();
      if (idle.size() <= MOST_IDLE && now - oldest.idleSince < lingerNanos) {
        break;
      }
      each.remove();
      remove(oldest);
    }
    looks.forEach(look -> giveUp(look, now));
    passes.values().forEach(p -> p.looks.values().forEach(all -> all.forEach(l -> giveUp(l, now))));
    looks.removeIf(look -> look.result.isDone());
  }

  private static void giveUp(Look look, long now) {
    if (look.deadline - now <= 0) {
      look.result.completeExceptionally(
          new TimeoutException("the first answer was not found in time"));
    }
  }

  private void readLive(Duration timeout) {
    if (live.assignment().isEmpty()) {
      return;
    }
    ConsumerRecords<String, byte[]> records = ConsumerRecords.empty();
    polling = true;
    try {
      records = live.poll(inbox.isEmpty() ? timeout : Duration.ZERO);
    } catch (WakeupException e) {
      // There are commands.
    } finally {
      polling = false;
    }
    count(records);
    for (ConsumerRecord<String, byte[]> each : records) {
      Followed entry = followed.get(each.key());
      if (entry == null || each.value() == null) {
        continue;
      }
      if (entry.looked) {
        answer(entry, each.value());
      } else if (entry.candidate == null) {
        entry.candidate = each.value();
      }
    }
  }

  private void answer(Followed entry, byte[] answer) {
    remove(entry);
    entry.followers.forEach(follower -> follower.complete(answer));
  }

  /** Reads each partition with followed ids from its end on, and looks at what is before. */
  private void assignLive() {
    Set<TopicPartition> assigned = new HashSet<>(live.assignment());
    assigned.retainAll(followedIn.keySet());
    Set<TopicPartition> added = new HashSet<>(followedIn.keySet());
    added.removeAll(assigned);
    Map<TopicPartition, Long> ends = endOffsets(added);
    assigned.addAll(ends.keySet());
    if (!assigned.equals(live.assignment())) {
      live.assign(assigned);
      ends.forEach(live::seek);
      followedPartitions = assigned.size();
    }
    for (Iterator<Followed> each = fresh.iterator(); each.hasNext(); ) {
      Followed entry = each.next();
      if (assigned.contains(entry.place.partition())) {
        long until = live.position(entry.place.partition(), QUERY);
        Look look = new Look(entry.place, until, System.nanoTime() + NEVER);
        var unused = look.result.thenAccept(first -> looked(entry, first));
        looks.add(look);
        each.remove();
      }
    }
  }

  /**
   * Returns the ends of partitions; of some, if others have no broker now. Then each call begins
   * with another one, so that those without a broker hold up none of the others for long.
   */
  private Map<TopicPartition, Long> endOffsets(Set<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    try {
      return past.endOffsets(partitions, QUERY);
    } catch (RetriableException e) {
      List<TopicPartition> anyOrder = new ArrayList<>(partitions);
      Collections.shuffle(anyOrder);
      Map<TopicPartition, Long> ends = new HashMap<>();
      try {
        for (TopicPartition each : anyOrder) {
          ends.putAll(past.endOffsets(Set.of(each), QUERY));
        }
      } catch (RetriableException again) {
        warn(again);
      }
      return ends;
    }
  }

  private void looked(Followed entry, Optional<ConsumerRecord<String, byte[]>> first) {
    if (followed.get(entry.place.id()) != entry) {
      return;
    }
    if (first.isPresent()) {
      answer(entry, first.get().value());
    } else if (entry.candidate != null) {
      answer(entry, entry.candidate);
    } else {
      entry.looked = true;
    }
  }

  /** Begins a pass over each partition with looks, unless one is under way. */
  private void startPasses() {
    Map<TopicPartition, Pass> starting = new HashMap<>();
    Map<TopicPartition, Long> since = new HashMap<>();
    List<Look> started = new ArrayList<>();
    for (Look look : looks) {
      TopicPartition partition = look.place.partition();
      if (!passes.containsKey(partition)) {
        starting
            .computeIfAbsent(partition, p -> new Pass())
            .looks
            .computeIfAbsent(look.place.id(), id -> new ArrayList<>(1))
            .add(look);
        since.merge(partition, look.place.since(), Math::min);
        started.add(look);
      }
    }
    if (started.isEmpty()) {
      return;
    }
    Map<TopicPartition, Long> ends = endOffsets(starting.keySet());
    starting.keySet().retainAll(ends.keySet());
    since.keySet().retainAll(ends.keySet());
    started.removeIf(look -> !ends.containsKey(look.place.partition()));
    Map<TopicPartition, OffsetAndTimestamp> begins = past.offsetsForTimes(since, QUERY);
    started.forEach(
        look ->
            look.until = Math.min(look.until, requireNonNull(ends.get(look.place.partition()))));
    looks.removeAll(new HashSet<>(started));
    starting.forEach(
        (partition, pass) -> {
          OffsetAndTimestamp begin = begins.get(partition);
          // Without a record of that time or a later one, there is nothing to look at.
          if (!pass.reach(begin == null ? THE_END : begin.offset())) {
            past.seek(partition, requireNonNull(begin).offset());
            past.resume(Set.of(partition));
            passes.put(partition, pass);
          }
        });
  }

  private void readPast() {
    if (passes.isEmpty()) {
      return;
    }
    ConsumerRecords<String, byte[]> records = past.poll(PAST_POLL);
    count(records);
    for (ConsumerRecord<String, byte[]> each : records) {
      Pass pass = passes.get(new TopicPartition(each.topic(), each.partition()));
      if (pass != null) {
        pass.see(each);
      }
    }
    for (Iterator<Map.Entry<TopicPartition, Pass>> i = passes.entrySet().iterator();
        i.hasNext(); ) {
      Map.Entry<TopicPartition, Pass> each = i.next();
      if (each.getValue().reach(past.position(each.getKey(), QUERY))) {
        past.pause(Set.of(each.getKey()));
        i.remove();
      }
    }
  }

  private void count(ConsumerRecords<?, ?> records) {
    recordsRead.addAndGet(records.count());
  }

  private void failAll(Throwable error) {
    List<Followed> entries = List.copyOf(followed.values());
    followed.clear();
    followedIn.clear();
    idle.clear();
    fresh.clear();
    for (Followed entry : entries) {
      entry.followers.forEach(follower -> follower.completeExceptionally(error));
    }
    List<Look> failed = new ArrayList<>(looks);
    passes.values().forEach(pass -> pass.looks.values().forEach(failed::addAll));
    looks.clear();
    passes.clear();
    failed.forEach(look -> look.result.completeExceptionally(error));
    try {
      live.unsubscribe();
      past.pause(past.assignment());
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "A consumer cannot stop reading", e);
    }
  }
}
