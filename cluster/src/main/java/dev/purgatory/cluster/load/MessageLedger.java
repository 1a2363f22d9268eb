package dev.purgatory.cluster.load;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What became of each message: sent, acknowledged, received by the one reader whose word counts.
 * Two bits a message. Safe for use by several threads.
 */
final class MessageLedger {
  private static final int MOST_FINDINGS = 10;

  private final List<Page> pages;
  private final List<String> findings = new ArrayList<>();

  /**
   * An empty ledger.
   *
   * @param producers how many producers there will be
   */
  MessageLedger(int producers) {
    List<Page> empty = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      empty.add(new Page());
    }
    this.pages = List.copyOf(empty);
  }

  private MessageLedger(List<Page> pages) {
    this.pages = List.copyOf(pages);
  }

  /** The same messages with the same promises, for a reader who has received nothing so far. */
  MessageLedger forAnotherReader() {
    return new MessageLedger(pages.stream().map(Page::unread).toList());
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

  /** The reader got the message. */
  void received(ConsumerRecord<byte[], byte[]> message) {
    TopicPartition from = new TopicPartition(message.topic(), message.partition());
    received(MessageId.of(message.value()), from);
  }

  /** The reader got the message. */
  void received(MessageId id, TopicPartition from) {
    Verdict verdict = pages.get(id.producer()).receive(id.sequence(), from);
    if (verdict != Verdict.FINE) {
      find(id + " " + verdict.words + " in " + from);
    }
  }

  private void find(String finding) {
    synchronized (findings) {
      if (findings.size() < MOST_FINDINGS) {
        findings.add(finding);
      }
    }
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

  /** How often the reader got a message after a later one of the same producer and partition. */
  long outOfOrder() {
    return sum(Page::outOfOrder);
  }

  /** What the reader can say now; what is missing is lost. */
  Reading reading() {
    List<String> all = new ArrayList<>();
    synchronized (findings) {
      all.addAll(findings);
    }
    for (int producer = 0; producer < pages.size(); producer++) {
      int sequence = pages.get(producer).firstMissing();
      if (sequence >= 0) {
        all.add(new MessageId(producer, sequence) + " is the first lost of its producer");
      }
    }
    return new Reading(received(), missing(), duplicates(), outOfOrder(), all);
  }

  private long sum(ToLongFunction<Page> count) {
    return pages.stream().mapToLong(count).sum();
  }

  /** What to think of a message that has come. */
  private enum Verdict {
    FINE(""),
    AGAIN("came again"),
    OUT_OF_ORDER("came after a later one");

    private final String words;

    Verdict(String words) {
      this.words = words;
    }
  }

  /** The messages of one producer, by sequence. */
  private static final class Page {
    private final BitSet acknowledged = new BitSet();
    private final BitSet received = new BitSet();
    private final Map<TopicPartition, Integer> latest = new HashMap<>();
    private int sent;
    private long acknowledgedCount;
    private long receivedCount;
    private long missing;
    private long duplicates;
    private long outOfOrder;

    synchronized Page unread() {
      Page page = new Page();
      page.sent = sent;
      page.acknowledged.or(acknowledged);
      page.acknowledgedCount = acknowledgedCount;
      page.missing = acknowledgedCount;
      return page;
    }

    synchronized int next() {
      return sent++;
    }

    synchronized void acknowledge(int sequence) {
      if (acknowledged.get(sequence)) {
        return;
      }
      acknowledged.set(sequence);
      acknowledgedCount++;
      if (!received.get(sequence)) {
        missing++;
      }
    }

    synchronized Verdict receive(int sequence, TopicPartition from) {
      if (received.get(sequence)) {
        duplicates++;
        return Verdict.AGAIN;
      }
      received.set(sequence);
      receivedCount++;
      if (acknowledged.get(sequence)) {
        missing--;
      }
      if (latest.merge(from, sequence, Math::max) > sequence) {
        outOfOrder++;
        return Verdict.OUT_OF_ORDER;
      }
      return Verdict.FINE;
    }

    synchronized long sent() {
      return sent;
    }

    synchronized long acknowledged() {
      return acknowledgedCount;
    }

    synchronized long received() {
      return receivedCount;
    }

    synchronized long missing() {
      return missing;
    }

    synchronized long duplicates() {
      return duplicates;
    }

    synchronized long outOfOrder() {
      return outOfOrder;
    }

    /** A sequence, or -1 for none. */
    synchronized int firstMissing() {
      BitSet missing = (BitSet) acknowledged.clone();
      missing.andNot(received);
      return missing.nextSetBit(0);
    }
  }
}
