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
 * Records which messages were acknowledged and which of them a reader received. Uses two bits per
 * message. Thread-safe.
 */
final class MessageLedger {
  private static final int MAX_FINDINGS = 10;

  private final List<Page> pages;
  private final List<String> findings = new ArrayList<>();

  /**
   * Creates an empty ledger.
   *
   * @param producers the number of producers
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

  /** Returns a ledger of the same messages for another reader that has not received any yet. */
  MessageLedger forAnotherReader() {
    return new MessageLedger(pages.stream().map(Page::unread).toList());
  }

  /**
   * Returns the id of a producer's next message.
   *
   * @param producer the producer, from 0
   */
  MessageId next(int producer) {
    return new MessageId(producer, pages.get(producer).next());
  }

  /** Records that the cluster acknowledged a message. */
  void acknowledged(MessageId id) {
    pages.get(id.producer()).acknowledge(id.sequence());
  }

  /** Records that the reader received a message. */
  void received(ConsumerRecord<byte[], byte[]> message) {
    TopicPartition from = new TopicPartition(message.topic(), message.partition());
    received(MessageId.of(message.value()), from);
  }

  /** Records that the reader received a message. */
  void received(MessageId id, TopicPartition from) {
    Verdict verdict = pages.get(id.producer()).receive(id.sequence(), from);
    if (verdict != Verdict.FINE) {
      addFinding(id + " " + verdict.description + " from " + from);
    }
  }

  private void addFinding(String finding) {
    synchronized (findings) {
      if (findings.size() < MAX_FINDINGS) {
        findings.add(finding);
      }
    }
  }

  /** Returns the number of ids that were assigned to messages. */
  long sent() {
    return sum(Page::sent);
  }

  /** Returns the number of acknowledged messages. */
  long acknowledged() {
    return sum(Page::acknowledged);
  }

  /** Returns the number of distinct messages that the reader received. */
  long received() {
    return sum(Page::received);
  }

  /** Returns the number of acknowledged messages that the reader has not received yet. */
  long missing() {
    return sum(Page::missing);
  }

  /** Returns the number of times that the reader received a message again. */
  long duplicates() {
    return sum(Page::duplicates);
  }

  /** Returns the number of messages received after a later one of their producer and partition. */
  long outOfOrder() {
    return sum(Page::outOfOrder);
  }

  /** Returns the findings of the reader. Messages that are missing now count as lost. */
  Reading reading() {
    List<String> all = new ArrayList<>();
    synchronized (findings) {
      all.addAll(findings);
    }
    for (int producer = 0; producer < pages.size(); producer++) {
      int sequence = pages.get(producer).firstMissing();
      if (sequence >= 0) {
        all.add(new MessageId(producer, sequence) + " is the first one lost");
      }
    }
    return new Reading(received(), missing(), duplicates(), outOfOrder(), all);
  }

  private long sum(ToLongFunction<Page> count) {
    return pages.stream().mapToLong(count).sum();
  }

  /** How a received message compares with those before it. */
  private enum Verdict {
    FINE(""),
    DUPLICATE("was received again"),
    OUT_OF_ORDER("was received after a later one");

    private final String description;

    Verdict(String description) {
      this.description = description;
    }
  }

  /** The messages of one producer, by sequence number. */
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
        return Verdict.DUPLICATE;
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

    /** Returns the sequence number of the first missing message, or -1 if none is missing. */
    synchronized int firstMissing() {
      BitSet missing = (BitSet) acknowledged.clone();
      missing.andNot(received);
      return missing.nextSetBit(0);
    }
  }
}
