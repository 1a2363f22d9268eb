package dev.purgatory.benchmarks.answers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.answers.AnswerLedger.Violation;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerLedgerTest {
  private final AnswerLedger ledger = new AnswerLedger();

  @Test
  void oneAnswer_thatAllLearn_isNoViolation() {
    ledger.learned("id", "0"); // perhaps before the winner is told
    ledger.won("id", "0");
    ledger.learned("id", "0");
    ledger.won("other", "1");
    ledger.compare(Map.of("id", "0", "other", "1", "nobody knows", "2"));
    assertThat(ledger.violations()).isEmpty();
    assertThat(ledger.answered()).isEqualTo(2);
  }

  @Test
  void differentAnswers_areAViolation() {
    ledger.won("id", "0");
    ledger.learned("id", "1");
    assertThat(ledger.violations()).isEqualTo(Map.of(Violation.TWO_ANSWERS, 1));
    assertThat(ledger.findings()).singleElement().asString().contains("id id", "0 and 1");
  }

  @Test
  void twoWinners_areAViolation_evenWithTheSameAnswer() {
    ledger.won("id", "0");
    ledger.won("id", "0");
    assertThat(ledger.violations()).isEqualTo(Map.of(Violation.TWO_WINNERS, 1));
  }

  @Test
  void answer_thatIsNotTheFirstRecord_isAViolation() {
    ledger.won("id", "0");
    ledger.won("other", "0");
    ledger.compare(Map.of("id", "1"));
    assertThat(ledger.violations())
        .isEqualTo(Map.of(Violation.NOT_THE_FIRST, 1, Violation.NOT_IN_THE_LOG, 1));
  }

  @Test
  void lines_areLimited_andCountsAreNot() {
    for (int i = 0; i < 100; i++) {
      ledger.add(Violation.NEVER_LEARNED, "id", "awaited");
    }
    assertThat(ledger.findings()).hasSize(20);
    assertThat(ledger.violations()).isEqualTo(Map.of(Violation.NEVER_LEARNED, 100));
  }
}
