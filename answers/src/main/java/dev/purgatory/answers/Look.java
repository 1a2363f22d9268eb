package dev.purgatory.answers;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Looks for the first record of an id before an offset. Belongs to the thread of its reader. */
abstract class Look {
  /** The offset of a look until there is a record. */
  static final long FOREVER = Long.MAX_VALUE;

  /** The offset of a look to the present end, until that is known. */
  static final long THE_END = -1;

  /** The offset from which to look, if only a time is known. */
  static final long UNKNOWN = Long.MAX_VALUE;

  final LogReader.Place place;

  /** Whether there is a record of the id just before the offset. */
  final boolean isWritten;

  long until;

  /** There is no record of the id before this offset. */
  long from = UNKNOWN;

  Look(LogReader.Place place, long until) {
    this.place = place;
    this.until = until;
    this.isWritten = until != FOREVER && until != THE_END;
  }

  abstract boolean isDone();

  /** Ends the look; null if there is no record. */
  abstract void end(@Nullable ConsumerRecord<String, byte[]> first);

  /** Fails the look, unless it is done. */
  abstract void fail(Throwable error);

  boolean isFollowed() {
    return until == FOREVER;
  }
}
