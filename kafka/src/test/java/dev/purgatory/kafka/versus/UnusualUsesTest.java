package dev.purgatory.kafka.versus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.kafka.KafkaRelease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.InstanceNotFoundException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs {@link UnusualUses} on the drop-in and on Kafka's own classes, and compares the results. */
class UnusualUsesTest {

  /** What differs on purpose: see the table in README.md. */
  private static final Map<String, String> INTENDED =
      Map.of(
          "check-after-shutdown",
          "0, true[completed, onComplete 1, onExpiration 0]",
          "completion-throws-when-checked",
          "1[completed, onComplete 1, onExpiration 0], watched 0 delayed 0");

  private static Map<Object, Object> expected;

  @BeforeAll
  static void runOnKafkasOwnClasses() throws Exception {
    Map<Object, Object> stock = run(DropInVersusStock.kafkaClassPath());
    assertThat(stock.remove("origin")).isEqualTo(stock.remove("origin-of-keys"));
    assertThat(stock.remove("drop-in")).isEqualTo(InstanceNotFoundException.class.getName());
    assertThat(stock).containsKeys(INTENDED.keySet().toArray());
    stock.putAll(INTENDED);
    expected = stock;
  }

  /** Without a broker: only the classes that the drop-in replaces, and those that they need. */
  @ParameterizedTest(name = "Kafka {0}")
  @MethodSource("releases")
  void theDropInDoesTheSameBesideTheClassesOf(String version) throws Exception {
    List<String> classPath = new ArrayList<>();
    classPath.add(DropInVersusStock.dropInClasses());
    classPath.addAll(KafkaRelease.classPath(version));
    classPath.addAll(DropInVersusStock.kafkaClassPath());

    Map<Object, Object> results = run(classPath);

    assertThat(String.valueOf(results.remove("origin")))
        .startsWith(DropInVersusStock.dropInClasses());
    assertThat(String.valueOf(results.remove("origin-of-keys"))).contains("-" + version + ".jar");
    assertThat(String.valueOf(results.remove("drop-in"))).startsWith(version + ", tested ");
    assertThat(results).containsExactlyInAnyOrderEntriesOf(expected);
  }

  static List<String> releases() {
    return KafkaRelease.VERSIONS;
  }

  private static Map<Object, Object> run(List<String> classPath) throws Exception {
    return new TreeMap<>(ForkedJvm.run(UnusualUses.class, classPath));
  }
}
