package dev.purgatory.kafka.versus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Runs {@link UnusualUses} on the drop-in and on Kafka's own classes, and compares the results. */
class UnusualUsesTest {

  /** What differs on purpose: see the table in README.md. */
  private static final Map<String, String> INTENDED =
      Map.of(
          "check-after-shutdown",
          "0, true[completed, onComplete 1, onExpiration 0]",
          "completion-throws-when-checked",
          "1[completed, onComplete 1, onExpiration 0], watched 0 delayed 0");

  @Test
  void theDropInDoesTheSameAsKafka() throws Exception {
    Map<Object, Object> dropIn = run(DropInVersusStock.dropInClassPath());
    Map<Object, Object> stock = run(DropInVersusStock.kafkaClassPath());

    assertThat(dropIn.remove("origin")).isNotEqualTo(stock.remove("origin"));
    assertThat(stock).containsKeys(INTENDED.keySet().toArray());
    stock.putAll(INTENDED);
    assertThat(dropIn).isEqualTo(stock);
  }

  private static Map<Object, Object> run(List<String> classPath) throws Exception {
    return new TreeMap<>(ForkedJvm.run(UnusualUses.class, classPath));
  }
}
