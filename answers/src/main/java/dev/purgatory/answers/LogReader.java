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
import org.apache.kafka.common.errors.InterruptException;
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
   * The records read of a partition are kept as a window: the first record of each id, from a time to an offset.
   * No record is older than its id. So for an id that was made at that time or later, the window has the
   * first record, or there is none before its end. A look for such an id needs at most the records after the
   * end. A look for an older id begins a new window in place of the old one. So each record is read about
   * once, whatever the number of looks and the age of their ids, as long as the window reaches back to them.
   * Where looks are rare and their ids young, most records are not read at all: an id that is younger than
   * the window is read aside, from its own time on, while that is less than to extend the window.
   *
   * To make room, a window loses its eldest record, and then begins a millisecond after the time of that
   * record: whichever id it was of, it was made before. All windows together have a bound, in bytes, and
   * equal shares of it. A partition without looks and followed ids for the time of linger loses its window.
   *
   * The live consumer extends the window of its partition, once the past one has come to where it is; then
   * looks wait for the live one. Where nobody follows an id, nobody reads on before the next look.
   *
   * The past consumer makes at most one pass over a partition at a time, for all looks that have come until
   * it begins. Later ones wait for the next pass: if each look moved the position back, none would end. Two
   * consumers, so that no look into the distant past delays what comes now. The past one has all partitions
   * and is paused on those without a pass: without any, it would ask for the metadata of the topic each time.
   *
   * A topic that is created again has other records at the same offsets. A position that goes back, an end
   * before the end of the window, or a written record that the window lacks, shows it: the window is dropped,
   * and looks begin anew. It is not noticed if the new partition is already longer.
   *
   * All fields without a comment belong to the thread. Others hand it commands through the inbox. It wakes
   * up the live consumer only: calls that ask a broker are made on the other one, and must not be cut short.
   * After an exception, the work that is left stays queued, and the next step tries again: while brokers are away,
   * nothing is lost and futures stay incomplete. A poll that fails in another way, as at a damaged record, fails
   * the futures of one partition: see Poll. Other exceptions, such as a refused access, and
   * errors fail all futures. So each future is completed before it is removed: what fails is tried again.
   *
   * Besides the windows, memory holds an entry for each followed id, and for at most 10,000 ids
   * that nobody has followed for a short time, so that a partition whose clients poll stays followed.
   *
   * Rejected: a window that forgets the least recently used id (it could not say where it begins); a pass
   * that adds older records to the window (old ids are rare once a window is there, and these records would
   * have to be merged with newer ones from the live consumer); the live consumer alone (looks into the past
   * would move its position back); reading on where nobody follows (each instance would soon read all partitions).
   */

  static final long THE_END = Long.MAX_VALUE;

  private static final long LIVE_POLL_MILLIS = 1_000;
  private static final Duration PAST_POLL = Duration.ofMillis(20);
  private static final Duration QUERY = Duration.ofSeconds(1);
  private static final long STOP_MILLIS = 10_000;
  private static final int MOST_IDLE = 10_000;

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

    /** Whether there is no record before the first one of the live consumer. */
    boolean looked;

    /** Looks for such a record; null before that begins. */
    @Nullable Look look;

    byte @Nullable [] candidate;
    long idleSince;

    Followed(Place place) {
      this.place = place;
    }
  }

  /** Looks for the first record of an id before an offset. */
  private static final class Look {
    final Place place;

    /** Whether there is a record of the id, just before the offset. */
    final boolean written;

    /** When to give up, by {@code System.nanoTime}. */
    final long deadline;

    final CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> result =
        new CompletableFuture<>();

    long until;

    Look(Place place, boolean written, long until, long deadline) {
      this.place = place;
      this.written = written;
      this.until = until;
      this.deadline = deadline;
    }

    /** Returns true. */
    boolean end(@Nullable ConsumerRecord<String, byte[]> first) {
      Foreign.call(() -> result.complete(Optional.ofNullable(first)));
      return true;
    }

    void fail(Throwable error) {
      Foreign.call(() -> result.completeExceptionally(error));
    }
  }

  /** One pass over a partition, for some looks. */
  private static final class Pass {
    /** The window to extend; a temporary one if the pass reads aside. */
    Window window = new Window(0, 0);

    /** None of the ids is older. */
    long since = Long.MAX_VALUE;

    /** The last offset of the looks. */
    long until;

    final Map<String, List<Look>> looks = new HashMap<>();

    void add(Look look) {
      looks.computeIfAbsent(look.place.id(), id -> new ArrayList<>(1)).add(look);
      since = Math.min(since, look.place.since());
      until = Math.max(until, look.until);
    }

    /** Makes no look go on after the end of the partition. */
    void cut(long end) {
      until = Math.min(until, end);
      looks.values().forEach(all -> all.forEach(l -> l.until = Math.min(l.until, end)));
    }

    void see(ConsumerRecord<String, byte[]> record) {
      List<Look> found = looks.get(record.key());
      if (found != null && Window.isAnswer(record)) {
        found.removeIf(look -> record.offset() < look.until && look.end(record));
      }
    }

    /** Ends the looks that need no later records; returns whether these were all. */
    boolean reach(long position) {
      looks
          .values()
          .removeIf(
              all -> {
                all.removeIf(
                    look -> look.result.isDone() || (look.until <= position && look.end(null)));
                return all.isEmpty();
              });
      return looks.isEmpty();
    }
  }

  private final String unavailable;
  private final Consumer<String, byte[]> live;
  private final Consumer<String, byte[]> past;
  private final long lingerNanos;
  private final Duration liveTimeout;
  private final Poll livePoll;
  private final Poll pastPoll;
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

  /** Written by the thread, read by tests. */
  private volatile int followedPartitions;

  /** Written by the thread, read by tests. */
  private volatile long keptBytes;

  private final Map<String, Followed> followed = new HashMap<>();
  private final Map<TopicPartition, Integer> followedIn = new HashMap<>();
  private final Set<Followed> idle = new LinkedHashSet<>();
  private final Set<Followed> fresh = new LinkedHashSet<>();
  private final List<Look> looks = new ArrayList<>();
  private final Map<TopicPartition, Pass> passes = new HashMap<>();
  private final Map<TopicPartition, Window> windows = new HashMap<>();

  /** The positions of the live consumer. */
  private final Map<TopicPartition, Long> tails = new HashMap<>();

  /** Taken from the inbox, and not done yet. */
  private @Nullable Runnable command;

  private boolean closing;

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
    this.lingerNanos = linger.toNanos();
    this.livePoll = new Poll(live, this::readLive, this::failLive);
    this.pastPoll = new Poll(past, this::readPast, this::failPast);
    this.liveTimeout = Duration.ofMillis(Math.min(LIVE_POLL_MILLIS, linger.toMillis()));
    this.patienceNanos = patience.toNanos();
    this.windowBytes = windowBytes;
    past.assign(
        IntStream.range(0, partitions).mapToObj(i -> new TopicPartition(topic, i)).toList());
    past.pause(past.assignment());
    past.assignment().forEach(partition -> past.seek(partition, 0));
    this.thread = Loop.start("purgatory-answers-" + topic, this::run, this::react);
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
              if (error != null) {
                submit(() -> leave(place.id(), follower));
              }
            });
    return follower;
  }

  /**
   * Returns a future that completes with the first record before an offset, or with nothing.
   *
   * @param until the offset; {@link #THE_END} for the present end
   */
  CompletableFuture<Optional<ConsumerRecord<String, byte[]>>> look(Place place, long until) {
    Look look = new Look(place, until != THE_END, until, System.nanoTime() + patienceNanos);
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

  long windowBytes() {
    return keptBytes;
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
    boolean idling =
        followed.isEmpty() && looks.isEmpty() && passes.isEmpty() && live.assignment().isEmpty();
    if (idling && command == null) {
      command = windows.isEmpty() ? inbox.take() : inbox.poll(lingerNanos, TimeUnit.NANOSECONDS);
    }
    obey();
    if (closing) {
      return;
    }
    forget(System.nanoTime());
    looks.removeIf(this::lookIntoWindow);
    boolean busy =
        !fresh.isEmpty() || !passes.isEmpty() || !looks.stream().allMatch(this::waitsForLive);
    readLive(busy ? Duration.ZERO : liveTimeout);
    assignLive();
    looks.removeIf(this::lookIntoWindow);
    startPasses();
    readPast();
    followedPartitions = live.assignment().size();
    keptBytes = windows.values().stream().mapToLong(Window::bytes).sum();
  }

  // Commands. One that an Error interrupts is run again.

  private void obey() {
    for (command = command == null ? inbox.poll() : command;
        command != null;
        command = inbox.poll()) {
      command.run();
    }
  }

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
    if (entry.look != null) {
      entry.look.result.cancel(false); // nobody waits for it any more
    }
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
    windows
        .entrySet()
        .removeIf(
            each ->
                now - each.getValue().usedAt >= lingerNanos
                    && !followedIn.containsKey(each.getKey())
                    && !passes.containsKey(each.getKey()));
  }

  private static void giveUp(Look look, long now) {
    if (look.deadline - now <= 0) {
      look.fail(new TimeoutException("the first answer was not found in time"));
    }
  }

  private void readLive(Duration timeout) {
    if (live.assignment().isEmpty()) {
      return;
    }
    checkTails();
    polling = true;
    try {
      livePoll.all(inbox.isEmpty() ? timeout : Duration.ZERO);
    } catch (WakeupException e) {
      // There are commands.
    } finally {
      polling = false;
    }
  }

  private void readLive(ConsumerRecords<String, byte[]> records) {
    count(records);
    for (TopicPartition each : records.partitions()) {
      extend(each, records.records(each), requireNonNull(records.nextOffsets().get(each)).offset());
    }
    for (ConsumerRecord<String, byte[]> each : records) {
      Followed entry = followed.get(each.key());
      if (entry == null || !Window.isAnswer(each)) {
        continue;
      }
      if (entry.looked) {
        answer(entry, each.value());
      } else if (entry.candidate == null) {
        entry.candidate = each.value();
      }
    }
  }

  /** Later followers begin at the end of the partition, after what cannot be read. */
  private void failLive(TopicPartition partition, Throwable error) {
    for (Followed each : List.copyOf(followed.values())) {
      if (each.place.partition().equals(partition)) {
        fail(each, error);
      }
    }
    Set<TopicPartition> others = new HashSet<>(live.assignment());
    others.remove(partition);
    live.assign(others);
    tails.remove(partition);
  }

  /** Adds the records that the live consumer has read to a window. */
  private void extend(
      TopicPartition partition, List<ConsumerRecord<String, byte[]>> records, long position) {
    if (records.get(0).offset() < requireNonNull(tails.get(partition))) {
      beginAnew(partition, position);
      return;
    }
    Window window = windows.get(partition);
    if (window != null && meetsLive(partition, window)) {
      for (ConsumerRecord<String, byte[]> each : records) {
        if (each.offset() >= window.end) {
          add(window, each);
        }
      }
      window.end = Math.max(window.end, position);
    }
    tails.put(partition, position);
  }

  /** The position of the live consumer has gone back: the window of the partition is void. */
  private void beginAnew(TopicPartition partition, long position) {
    windows.remove(partition);
    tails.put(partition, position);
    for (Followed each : followed.values()) {
      if (each.place.partition().equals(partition)) {
        each.looked = false;
        each.candidate = null;
        fresh.add(each);
      }
    }
  }

  /** Without a record, a position can go back unseen: the consumer sets it to the new end. */
  private void checkTails() {
    for (TopicPartition each : live.assignment()) {
      try {
        long position = live.position(each, Duration.ZERO);
        if (position < requireNonNull(tails.get(each))) {
          beginAnew(each, position);
        }
      } catch (TimeoutException e) {
        // It has no position until its broker answers.
      }
    }
  }

  private void add(Window window, ConsumerRecord<String, byte[]> record) {
    window.add(record);
    window.trim(share());
  }

  private long share() {
    return windowBytes / windows.size();
  }

  /** Returns whether the live consumer extends a window. */
  private boolean meetsLive(TopicPartition partition, Window window) {
    Long tail = tails.get(partition);
    return tail != null && tail <= window.end && !passes.containsKey(partition);
  }

  private boolean waitsForLive(Look look) {
    TopicPartition partition = look.place.partition();
    Window window = windows.get(partition);
    return window != null
        && look.place.since() >= window.since
        && look.until != THE_END
        && meetsLive(partition, window);
  }

  /** Returns whether a window has answered a look. */
  private boolean lookIntoWindow(Look look) {
    TopicPartition partition = look.place.partition();
    Window window = windows.get(partition);
    if (window == null || passes.containsKey(partition) || look.place.since() < window.since) {
      return false;
    }
    window.usedAt = System.nanoTime();
    ConsumerRecord<String, byte[]> first = window.first(look.place.id());
    if (look.written
        && look.until <= window.end
        && (first == null || first.offset() >= look.until)) {
      windows.remove(partition);
      return false;
    }
    if (first == null && look.until > window.end) {
      return false;
    }
    return look.end(first);
  }

  private void answer(Followed entry, byte[] answer) {
    entry.followers.forEach(follower -> Foreign.call(() -> follower.complete(answer)));
    remove(entry);
  }

  private void fail(Followed entry, Throwable error) {
    entry.followers.forEach(follower -> Foreign.call(() -> follower.completeExceptionally(error)));
    remove(entry);
  }

  /** Reads each partition with followed ids from its end on, and looks at the records before. */
  private void assignLive() {
    Set<TopicPartition> assigned = new HashSet<>(live.assignment());
    assigned.retainAll(followedIn.keySet());
    Set<TopicPartition> added = new HashSet<>(followedIn.keySet());
    added.removeAll(assigned);
    Map<TopicPartition, Long> ends = ends(added);
    assigned.addAll(ends.keySet());
    if (!assigned.equals(live.assignment())) {
      live.assign(assigned);
      ends.forEach(live::seek);
      tails.keySet().retainAll(assigned);
      tails.putAll(ends);
    }
    for (Iterator<Followed> each = fresh.iterator(); each.hasNext(); ) {
      Followed entry = each.next();
      if (assigned.contains(entry.place.partition())) {
        long until = requireNonNull(tails.get(entry.place.partition()));
        Look look = new Look(entry.place, false, until, System.nanoTime() + NEVER);
        var unused =
            look.result.whenComplete(
                (first, error) -> looked(entry, first == null ? null : first.orElse(null), error));
        entry.look = look;
        looks.add(look);
        each.remove();
      }
    }
  }

  /** Returns ends of partitions as below; drops the windows that go on after them. */
  private Map<TopicPartition, Long> ends(Set<TopicPartition> partitions) {
    Map<TopicPartition, Long> ends = endOffsets(partitions);
    windows
        .entrySet()
        .removeIf(each -> ends.getOrDefault(each.getKey(), THE_END) < each.getValue().end);
    return ends;
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
        Foreign.warn(unavailable, again);
      }
      return ends;
    }
  }

  private void looked(
      Followed entry, @Nullable ConsumerRecord<String, byte[]> first, @Nullable Throwable error) {
    if (followed.get(entry.place.id()) != entry) {
      return;
    }
    try {
      if (error != null) {
        fail(entry, error);
      } else if (first != null) {
        answer(entry, first.value());
      } else if (entry.candidate != null) {
        answer(entry, entry.candidate);
      } else {
        entry.looked = true;
      }
    } catch (Throwable e) {
      fresh.add(entry); // another look follows
    }
  }

  /** Begins a pass over each partition with looks, unless one is under way. */
  private void startPasses() {
    Map<TopicPartition, Pass> starting = new HashMap<>();
    Set<Look> started = new HashSet<>();
    for (Look look : looks) {
      TopicPartition partition = look.place.partition();
      if (!passes.containsKey(partition) && !waitsForLive(look)) {
        starting.computeIfAbsent(partition, p -> new Pass()).add(look);
        started.add(look);
      }
    }
    if (starting.isEmpty()) {
      return;
    }
    Map<TopicPartition, Long> since = new HashMap<>();
    starting.forEach(
        (partition, pass) -> {
          Window window = windows.get(partition);
          if (window == null
              || pass.since < window.since
              || pass.until == THE_END
              || (pass.since > window.newest && !tails.containsKey(partition))) {
            since.put(partition, pass.since);
          }
        });
    Map<TopicPartition, Long> ends = ends(since.keySet());
    starting.keySet().removeIf(p -> since.containsKey(p) && !ends.containsKey(p));
    started.removeIf(look -> !starting.containsKey(look.place.partition()));
    since.keySet().retainAll(ends.keySet());
    Map<TopicPartition, OffsetAndTimestamp> begins =
        since.isEmpty() ? Map.of() : past.offsetsForTimes(since, QUERY);
    starting.forEach(
        (partition, pass) -> {
          long end = ends.getOrDefault(partition, THE_END);
          pass.cut(end);
          OffsetAndTimestamp begin = begins.get(partition);
          Window window = windows.get(partition);
          if (window == null || pass.since < window.since) {
            // Without a record of that time or a later one, there is nothing to look at.
            window = new Window(pass.since, begin == null ? end : begin.offset());
            windows.put(partition, window);
            windows.values().forEach(each -> each.trim(share()));
          } else if (begin != null && window.letsReadAside(begin.offset(), pass.until)) {
            window = new Window(pass.since, begin.offset());
          }
          pass.window = window;
          if (!ended(partition, pass)) {
            past.seek(partition, window.end);
            past.resume(Set.of(partition));
            passes.put(partition, pass);
          }
        });
    looks.removeAll(started);
  }

  /** Returns whether a pass has served its looks, and does not have to meet the live consumer. */
  private boolean ended(TopicPartition partition, Pass pass) {
    return pass.reach(pass.window.end) && pass.window.end >= tails.getOrDefault(partition, 0L);
  }

  private void readPast() {
    if (passes.isEmpty()) {
      return;
    }
    pastPoll.all(PAST_POLL);
    for (TopicPartition each : List.copyOf(passes.keySet())) {
      advance(each, requireNonNull(passes.get(each)));
    }
  }

  private void readPast(ConsumerRecords<String, byte[]> records) {
    count(records);
    for (ConsumerRecord<String, byte[]> each : records) {
      TopicPartition partition = new TopicPartition(each.topic(), each.partition());
      Pass pass = passes.get(partition);
      if (pass != null) {
        pass.see(each);
        if (pass.window == windows.get(partition)) {
          add(pass.window, each);
        }
      }
    }
  }

  /**
   * Fails the looks that must come by what cannot be read. Those for younger ids begin a new pass,
   * and a new window: perhaps after it.
   */
  private void failPast(TopicPartition partition, Throwable error) {
    Pass pass = requireNonNull(passes.get(partition));
    long reached = Math.max(pass.since, pass.window.newest);
    for (List<Look> all : pass.looks.values()) {
      for (Look look : all) {
        if (look.place.since() <= reached) {
          look.fail(error);
        } else {
          looks.add(look);
        }
      }
    }
    passes.remove(partition);
    windows.remove(partition, pass.window);
  }

  private void advance(TopicPartition partition, Pass pass) {
    long position;
    try {
      position = past.position(partition, Duration.ZERO);
    } catch (TimeoutException e) {
      return; // it has no position until its broker answers, and holds up none of the others
    }
    boolean goneBack = position < pass.window.end;
    pass.window.end = position;
    if (goneBack) {
      windows.remove(partition, pass.window);
      pass.looks.values().forEach(looks::addAll);
    }
    if (goneBack || ended(partition, pass)) {
      past.pause(Set.of(partition));
      passes.remove(partition);
    }
  }

  private void count(ConsumerRecords<String, byte[]> records) {
    recordsRead.addAndGet(records.count());
    for (ConsumerRecord<String, byte[]> each : records) {
      if (!Window.isAnswer(each)) {
        Foreign.warn(
            "Another producer writes to the topic " + each.topic() + "; its records are ignored",
            null);
      }
    }
  }

  private void failAll(Throwable error) {
    List.copyOf(followed.values()).forEach(entry -> fail(entry, error));
    looks.forEach(look -> look.fail(error));
    passes.values().forEach(p -> p.looks.values().forEach(all -> all.forEach(l -> l.fail(error))));
    looks.clear();
    passes.clear();
    windows.clear();
    tails.clear();
    try {
      live.unsubscribe();
      past.pause(past.assignment());
    } catch (RuntimeException e) {
      Foreign.log(Level.WARNING, "A consumer cannot stop reading", e);
    }
  }
}
