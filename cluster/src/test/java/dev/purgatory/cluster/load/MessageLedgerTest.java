package dev.purgatory.cluster.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class MessageLedgerTest {
  private static final TopicPartition HERE = new TopicPartition("busy", 3);
  private static final TopicPartition ELSEWHERE = new TopicPartition("busy", 4);

  private final MessageLedger ledger = new MessageLedger(2);

  @Test
  void emptyLedgerHasNoMessages() {
    assertThat(ledger.sent()).isZero();
    assertThat(ledger.missing()).isZero();
    assertThat(ledger.duplicates()).isZero();
  }

  @Test
  void acknowledgedMessageThatIsNotReceivedIsMissing() {
    MessageId kept = ledger.next(0);
    MessageId lost = ledger.next(1);
    ledger.acknowledged(kept);
    ledger.acknowledged(lost);
    ledger.received(kept, HERE);
    assertThat(ledger.acknowledged()).isEqualTo(2);
    assertThat(ledger.received()).isEqualTo(1);
    assertThat(ledger.missing()).isEqualTo(1);
  }

  @Test
  void messageThatIsNotAcknowledgedIsNotMissing() {
    ledger.next(0);
    assertThat(ledger.sent()).isEqualTo(1);
    assertThat(ledger.missing()).isZero();
  }

  @Test
  void messageMayBeReceivedBeforeItIsAcknowledged() {
    MessageId id = ledger.next(0);
    ledger.received(id, HERE);
    ledger.acknowledged(id);
    assertThat(ledger.missing()).isZero();
    assertThat(ledger.duplicates()).isZero();
  }

  @Test
  void everyFurtherReceiptIsADuplicate() {
    MessageId id = ledger.next(1);
    ledger.received(id, HERE);
    ledger.received(id, HERE);
    ledger.received(id, HERE);
    assertThat(ledger.received()).isEqualTo(1);
    assertThat(ledger.duplicates()).isEqualTo(2);
  }

  @Test
  void reportsLostMessages() {
    MessageId kept = sent();
    MessageId lost = sent();
    ledger.received(kept, HERE);
    Reading reading = ledger.reading();
    assertThat(reading.isClean()).isFalse();
    assertThat(reading.lost()).isEqualTo(1);
    assertThat(reading.findings()).containsExactly(lost + " is the first one lost");
  }

  @Test
  void reportsDuplicates() {
    MessageId id = sent();
    ledger.received(id, HERE);
    ledger.received(id, HERE);
    Reading reading = ledger.reading();
    assertThat(reading.isClean()).isFalse();
    assertThat(reading.duplicates()).isEqualTo(1);
    assertThat(reading.findings()).containsExactly(id + " was received again from busy-3");
  }

  @Test
  void reportsMessagesOutOfOrderInOnePartition() {
    MessageId first = sent();
    MessageId second = sent();
    ledger.received(second, HERE);
    ledger.received(first, HERE);
    Reading reading = ledger.reading();
    assertThat(reading.isClean()).isFalse();
    assertThat(reading.outOfOrder()).isEqualTo(1);
    assertThat(reading.findings())
        .containsExactly(first + " was received after a later one from busy-3");
  }

  @Test
  void messagesOfDifferentPartitionsHaveNoOrder() {
    MessageId first = sent();
    MessageId second = sent();
    ledger.received(second, HERE);
    ledger.received(first, ELSEWHERE);
    assertThat(ledger.reading().isClean()).isTrue();
  }

  @Test
  void messagesOfDifferentProducersHaveNoOrder() {
    MessageId later = ledger.next(0);
    ledger.next(1);
    MessageId other = ledger.next(1);
    ledger.received(other, HERE);
    ledger.received(later, HERE);
    assertThat(ledger.reading().isClean()).isTrue();
  }

  @Test
  void anotherReaderHasToReadEverythingAgain() {
    MessageId id = sent();
    ledger.received(id, HERE);
    MessageLedger again = ledger.forAnotherReader();
    assertThat(again.reading())
        .extracting(Reading::received, Reading::lost)
        .containsExactly(0L, 1L);
    again.received(id, HERE);
    assertThat(again.reading()).isEqualTo(new Reading(1, 0, 0, 0, List.of()));
    assertThat(ledger.duplicates()).isZero();
  }

  private MessageId sent() {
    MessageId id = ledger.next(0);
    ledger.acknowledged(id);
    return id;
  }

  @Test
  void producersNumberTheirMessagesSeparately() {
    assertThat(ledger.next(0)).isEqualTo(new MessageId(0, 0));
    assertThat(ledger.next(1)).isEqualTo(new MessageId(1, 0));
    assertThat(ledger.next(0)).isEqualTo(new MessageId(0, 1));
  }

  @Test
  void messageContainsItsId() {
    MessageId id = new MessageId(2, 1_000_000);
    byte[] message = id.toMessage(100);
    assertThat(message).hasSize(100);
    assertThat(MessageId.of(message)).isEqualTo(id);
  }
}
