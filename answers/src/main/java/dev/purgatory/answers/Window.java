package dev.purgatory.answers;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The first records of ids in a partition, from a time to an offset: see {@link PartitionReader}.
 * Belongs to its thread.
 */
final class Window {
  /** The header of all records that this library writes. */
  static final String TOKEN = "purgatory-token";

  /** Later than all ids. */
  static final long NEVER = Long.MAX_VALUE;

  /** The bytes that a record takes in a window, besides its content. */
  private static final long RECORD_BYTES = 300;

  private static final long HEADER_BYTES = 100;

  /**
   * All records of ids that were made since then, in milliseconds since 1970, were read or come
   * after the end.
   */
  long since;

  /** The offset of the first record that was not read. */
  long end;

  /** The latest time of a record that was read. */
  long newest;

  /** By {@code System.nanoTime}. */
  long usedAt = System.nanoTime();

  /** How many records were read. */
  long read;

  private final Map<String, ConsumerRecord<String, byte[]>> firsts = new LinkedHashMap<>();
  long bytes;

  Window(long since, long begin) {
    this.since = since;
    this.end = begin;
  }

  @Nullable ConsumerRecord<String, byte[]> first(String id) {
    return firsts.get(id);
  }

  /** Returns a window for no id. */
  static Window nothing() {
    return new Window(NEVER, 0);
  }

  void add(ConsumerRecord<String, byte[]> record) {
    read++;
    newest = Math.max(newest, record.timestamp());
    if (isAnswer(record) && firsts.putIfAbsent(record.key(), record) == null) {
      bytes += size(record);
    }
  }

  void trim(long most) {
    for (Iterator<ConsumerRecord<String, byte[]>> i = firsts.values().iterator(); bytes > most; ) {
      ConsumerRecord<String, byte[]> eldest = i.next();
      i.remove();
      bytes -= size(eldest);
      since = Math.max(since, eldest.timestamp() + 1);
    }
  }

  /** Returns about how many bytes of memory a record takes. */
  private static long size(ConsumerRecord<String, byte[]> record) {
    long size = RECORD_BYTES + record.key().length() + record.value().length;
    for (Header each : record.headers()) {
      // Reading a header makes it let go of the buffer with all records that came together.
      byte[] value = each.value();
      size += HEADER_BYTES + each.key().length() + (value == null ? 0 : value.length);
    }
    return size;
  }

  static boolean isAnswer(ConsumerRecord<?, ?> record) {
    return record.key() != null
        && record.value() != null
        && record.headers().lastHeader(TOKEN) != null;
  }
}
