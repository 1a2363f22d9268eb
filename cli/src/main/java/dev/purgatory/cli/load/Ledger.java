package dev.purgatory.cli.load;

import java.util.BitSet;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * What became of each message: sent, acknowledged, received. Two bits a message. Safe for use by
 * several threads.
 */
final class Ledger {
  private final List<Page> pages;

  /**
   * An empty ledger.
   *
   * @param producers how many producers there will be
   */
  Ledger(int producers) {
    pages = Stream.generate(Page::new).limit(producers).toList();
  }

  /**
   * Gives out the id of a producer's next message.
   *
   * @param producer from 0
   */
  MessageId next(int producer) {
    return new MessageId(producer, pages.get(producer).next());
  }

  /** The cluster promised to keep the message. */
  void acknowledged(MessageId id) {
    pages.get(id.producer()).acknowledge(id.sequence());
  }

  /** The one reader whose word counts got the message. */
  void received(MessageId id) {
    pages.get(id.producer()).receive(id.sequence());
  }

  /** Messages that ids were given out for. */
  long sent() {
    return sum(Page::sent);
  }

  /** Messages that the cluster promised to keep. */
  long acknowledged() {
    return sum(Page::acknowledged);
  }

  /** Different messages that the reader got. */
  long received() {
    return sum(Page::received);
  }

  /** Messages that were promised to be kept and that the reader has not got so far. */
  long missing() {
    return sum(Page::missing);
  }

  /** How often the reader got a message that it had already. */
  long duplicates() {
    return sum(Page::duplicates);
  }

  private long sum(ToLongFunction<Page> count) {
    return pages.stream().mapToLong(count).sum();
  }

  /** The messages of one producer, by sequence. */
  private static final class Page {
    private final BitSet acknowledged = new BitSet();
    private final BitSet received = new BitSet();
    private int sent;
    private long duplicates;

    synchronized int next() {
      return sent++;
    }

    synchronized void acknowledge(int sequence) {
      acknowledged.set(sequence);
    }

    synchronized void receive(int sequence) {
      if (received.get(sequence)) {
        duplicates++;
      }
      received.set(sequence);
    }

    synchronized long sent() {
      return sent;
    }

    synchronized long acknowledged() {
      return acknowledged.cardinality();
    }

    synchronized long received() {
      return received.cardinality();
    }

    synchronized long missing() {
      BitSet missing = (BitSet) acknowledged.clone();
      missing.andNot(received);
      return missing.cardinality();
    }

    synchronized long duplicates() {
      return duplicates;
    }
  }
}
