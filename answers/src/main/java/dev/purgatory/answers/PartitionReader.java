package dev.purgatory.answers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Reads one partition for all looks of an instance. Belongs to the thread of its reader. */
final class PartitionReader {

  /*
   * There is one position, at the end of the window. The window has the first record of each id, from a time to that
   * offset. No record is older than its id. So for an id that was made at that time or later, the window has the first
   * record, or there is none before its end. Such a look is answered at once, or served by the records after the end.
   *
   * A look for an older id waits until the position has reached the former end of the log, `goal`: if each look
   * moved the position back, none would end. Then a new window begins at the time of the oldest id, and all looks go on
   * from there. A look that had come further sees some records again, none of its id. So each record is read once, as
   * long as the window reaches back to the ids that are asked for. Until the position is back, a new answer waits, too.
   *
   * Where nobody looks for a time, the next look may skip what it need not see: the window begins at the time of its id if
   * that saves more records than the window has read. So what is lost is never more than what is saved.
   *
   * To make room, a window loses its eldest record, and then begins a millisecond after the time of that
   * record: whichever id it was of, it was made before. Looks in progress do not need what it loses.
   *
   * A topic that is created again has other records at the same offsets. Three things show it: a position that goes
   * back, a log that ends before the window, a written record that the window lacks. Then the window is void, and looks
   * begin anew. Nothing shows it if the new partition is longer at once, and nobody has read it in between. While a
   * partition is read, only its position counts: for a moment, a new leader may report an earlier end.
   *
   * The consumer moves its position when it returns records. So nothing may fail until all partitions have taken in
   * what a poll returned: what is left would be lost. `read` calls neither a consumer nor a broker.
   *
   * Rejected: a window that forgets the least recently used id (it could not say where it begins); a pass
   * that adds older records to the window, with a second position (old ids are rare once a window is there).
   */

  private final TopicPartition partition;

  /** For the next window, or the end of the log. */
  private final List<Look> waiting = new ArrayList<>();

  /** Served by the position, by id. */
  private final Map<String, List<Look>> looks = new HashMap<>();

  /** Those of them that end at an offset. Some may be done. */
  private final PriorityQueue<Look> questions =
      new PriorityQueue<>(Comparator.comparingLong(look -> look.until));

  /** How many of them do not. */
  private int followed;

  private Window window = Window.nothing();

  /** Where the log ended when the window began. */
  private long goal;

  /** Whether the window is of another log. */
  private boolean isVoid;

  /** Reads the partition; null while nobody looks. */
  private @Nullable Consumer<String, byte[]> consumer;

  /** Whether it found nothing at its last poll. */
  private boolean isQuiet;

  PartitionReader(TopicPartition partition) {
    this.partition = partition;
  }

  // Looks.

  void add(Look look) {
    waiting.add(look);
  }

  boolean hasLooks() {
    return !looks.isEmpty() || waits();
  }

  /** Returns whether looks wait for a new window. */
  boolean waits() {
    return !waiting.isEmpty();
  }

  boolean isFollowed() {
    return followed > 0;
  }

  private void serve(Look look) {
    looks.computeIfAbsent(look.place.id(), id -> new ArrayList<>(1)).add(look);
    if (look.isFollowed()) {
      followed++;
    } else {
      questions.add(look);
    }
  }

  /** Removes a look that is done, unless it waits. */
  void remove(Look look) {
    List<Look> found = looks.get(look.place.id());
    if (found != null && found.remove(look)) {
      if (look.isFollowed()) {
        followed--;
      }
      if (found.isEmpty()) {
        looks.remove(look.place.id());
      }
    }
  }

  private List<Look> removeAll() {
    List<Look> all = new ArrayList<>();
    looks.values().forEach(all::addAll);
    looks.clear();
    questions.clear();
    followed = 0;
    return all;
  }

  /** Removes looks that are done. For followed ones, see {@link #remove}. */
  void forgetDone() {
    waiting.removeIf(Look::isDone);
    questions.stream().filter(Look::isDone).forEach(this::remove);
    questions.removeIf(Look::isDone);
  }

  // The window.

  /** Serves what it can from the window; returns whether other looks need a new one. */
  boolean needsTheEnd() {
    if (!isVoid && !maySkip()) {
      waiting.removeIf(this::admit);
    }
    if (isVoid) {
      restart();
    }
    return waits() && (window.end >= goal || looks.isEmpty());
  }

  /** Returns whether looks need a new window, now that the end of the log is known. */
  boolean needsToBegin(@Nullable Long end) {
    if (end == null) {
      return false;
    }
    if (end < window.end && looks.isEmpty()) {
      restart();
    }
    for (Look each : waiting) {
      if (each.until == Look.THE_END) {
        each.until = Math.max(end, window.end);
      }
    }
    if (!maySkip()) {
      waiting.removeIf(this::admit);
    }
    return waits();
  }

  /** Returns whether looks may need none of the next records. */
  private boolean maySkip() {
    return looks.isEmpty()
        && hasWindow()
        && waiting.stream()
            .allMatch(
                look ->
                    look.place.since() > window.newest && look.until - window.end > window.read);
  }

  /** Returns whether a look needs no other window. */
  private boolean admit(Look look) {
    if (look.isDone()) {
      return true;
    }
    if (look.place.since() < window.since || look.until == Look.THE_END) {
      return false;
    }
    ConsumerRecord<String, byte[]> first = window.first(look.place.id());
    if (look.isWritten
        && look.until <= window.end
        && (first == null || first.offset() >= look.until)) {
      isVoid = true;
      return false;
    }
    if (first != null || look.until <= window.end) {
      look.end(first);
    } else {
      serve(look);
    }
    return true;
  }

  private void restart() {
    stop();
    waiting.addAll(removeAll());
    waiting.forEach(look -> look.from = Look.UNKNOWN);
    window = Window.nothing();
    isVoid = false;
  }

  /** Returns when the new window has to begin, unless all looks know an offset. */
  OptionalLong since() {
    return waiting.stream()
        .filter(look -> look.from == Look.UNKNOWN)
        .mapToLong(look -> look.place.since())
        .min();
  }

  /**
   * Begins a window.
   *
   * @param end where the log ends
   * @param found the first record since then; null if there is none
   * @return whether it is older than the one before
   */
  boolean begin(long end, @Nullable OffsetAndTimestamp found) {
    long since = since().orElse(Window.NEVER);
    long begin = found == null ? end : found.offset();
    if (hasWindow() && since >= window.since && begin - window.end <= window.read) {
      waiting.removeIf(this::admit);
      return false;
    }
    boolean isAnew = since < window.since && hasWindow();
    stop();
    List<Look> all = removeAll();
    all.forEach(look -> look.from = window.end);
    all.addAll(waiting);
    waiting.clear();
    for (Look each : all) {
      begin = Math.min(begin, each.from);
    }
    goal = Math.max(end, window.end);
    window = new Window(since, begin);
    all.stream().filter(look -> !look.isDone()).forEach(this::serve);
    reach();
    return isAnew;
  }

  boolean hasWindow() {
    return window.since != Window.NEVER;
  }

  void trim(long most) {
    window.trim(most);
  }

  long windowBytes() {
    return window.bytes;
  }

  /** Returns whether to keep this object. */
  boolean isInUse(long now, long lingerNanos) {
    if (hasLooks()) {
      window.usedAt = now;
    }
    return consumer != null || hasLooks() || (hasWindow() && now - window.usedAt < lingerNanos);
  }

  // The position.

  boolean isReadBy(Consumer<String, byte[]> some) {
    return consumer == some;
  }

  /** Hands the partition to the consumer that has to read it. */
  void move(Consumer<String, byte[]> live, Consumer<String, byte[]> past) {
    boolean isAtTheEnd = window.end >= goal && isQuiet;
    Consumer<String, byte[]> next =
        looks.isEmpty()
            ? null
            : isReadBy(live) || (isFollowed() && isReadBy(past) && isAtTheEnd) ? live : past;
    if (next != consumer) {
      stop();
      if (next != null) {
        next.seek(partition, window.end);
        next.resume(Set.of(partition));
      }
      consumer = next;
      isQuiet = false;
    }
  }

  private void stop() {
    if (consumer != null) {
      consumer.pause(Set.of(partition));
      consumer = null;
    }
  }

  /**
   * Takes in what a poll has read. It asks the consumer nothing: an exception would lose the
   * records of other partitions.
   */
  void read(ConsumerRecords<String, byte[]> polled, long mostBytes) {
    List<ConsumerRecord<String, byte[]>> records = polled.records(partition);
    isQuiet = records.isEmpty();
    OffsetAndMetadata next = polled.nextOffsets().get(partition);
    if (next == null) {
      return;
    }
    isVoid |= (isQuiet ? next.offset() : records.get(0).offset()) < window.end;
    if (isVoid) {
      return;
    }
    for (ConsumerRecord<String, byte[]> each : records) {
      window.add(each);
      window.trim(mostBytes);
      see(each);
    }
    window.end = next.offset();
    reach();
  }

  /** Finds out whether the position went back, as it does at the new end of an empty log. */
  void check(Consumer<String, byte[]> reading) {
    try {
      isVoid |= reading.position(partition, Duration.ZERO) < window.end;
    } catch (TimeoutException e) {
      // It has no position until its broker answers, and holds up none of the others.
    }
  }

  private void see(ConsumerRecord<String, byte[]> record) {
    if (!Window.isAnswer(record)) {
      Foreign.warn(
          "Another producer writes to the topic " + record.topic() + "; its records are ignored",
          null);
      return;
    }
    for (Look each : List.copyOf(looks.getOrDefault(record.key(), List.of()))) {
      if (record.offset() < each.until) {
        each.end(record);
        remove(each);
      }
    }
  }

  /** Ends the looks that need no later records. */
  private void reach() {
    for (Look first = questions.peek();
        first != null && first.until <= window.end;
        first = questions.peek()) {
      if (!first.isDone()) {
        first.end(null);
      }
      remove(first);
      questions.remove();
    }
  }

  // Failures.

  /**
   * Fails the looks that must come by the record at the position, which cannot be read. Its
   * consumer has paused the partition.
   */
  void fail(Throwable error) {
    consumer = null;
    long reached = Math.max(window.since, window.newest);
    for (Look each : removeAll()) {
      if (each.from == Look.UNKNOWN ? each.place.since() > reached : each.from > window.end) {
        waiting.add(each);
      } else {
        each.fail(error);
      }
    }
    window = Window.nothing();
  }
}
