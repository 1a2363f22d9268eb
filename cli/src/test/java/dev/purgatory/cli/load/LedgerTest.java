package dev.purgatory.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerTest {
  private final Ledger ledger = new Ledger(2);

  @Test
  void anEmptyLedgerMissesNothing() {
    assertThat(ledger.sent()).isZero();
    assertThat(ledger.missing()).isZero();
    assertThat(ledger.duplicates()).isZero();
  }

  @Test
  void acknowledgedAndNotReceivedIsMissing() {
    MessageId kept = ledger.next(0);
    MessageId lost = ledger.next(1);
    ledger.acknowledged(kept);
    ledger.acknowledged(lost);
    ledger.received(kept);
    assertThat(ledger.acknowledged()).isEqualTo(2);
    assertThat(ledger.received()).isEqualTo(1);
    assertThat(ledger.missing()).isEqualTo(1);
  }

  @Test
  void whatNobodyPromisedIsNotMissing() {
    ledger.next(0);
    assertThat(ledger.sent()).isEqualTo(1);
    assertThat(ledger.missing()).isZero();
  }

  @Test
  void receivedBeforeAcknowledgedIsFine() {
    MessageId id = ledger.next(0);
    ledger.received(id);
    ledger.acknowledged(id);
    assertThat(ledger.missing()).isZero();
    assertThat(ledger.duplicates()).isZero();
  }

  @Test
  void everyFurtherReceiptIsADuplicate() {
    MessageId id = ledger.next(1);
    ledger.received(id);
    ledger.received(id);
    ledger.received(id);
    assertThat(ledger.received()).isEqualTo(1);
    assertThat(ledger.duplicates()).isEqualTo(2);
  }

  @Test
  void messagesOfDifferentProducersAreDifferent() {
    assertThat(ledger.next(0)).isEqualTo(new MessageId(0, 0));
    assertThat(ledger.next(1)).isEqualTo(new MessageId(1, 0));
    assertThat(ledger.next(0)).isEqualTo(new MessageId(0, 1));
  }

  @Test
  void theIdTravelsInTheMessage() {
    MessageId id = new MessageId(2, 1_000_000);
    byte[] message = id.toMessage(100);
    assertThat(message).hasSize(100);
    assertThat(MessageId.of(message)).isEqualTo(id);
  }
}
