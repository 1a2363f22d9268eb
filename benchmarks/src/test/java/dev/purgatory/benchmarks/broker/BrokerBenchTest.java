package dev.purgatory.benchmarks.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.results.Row;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Measures real brokers. The time limits allow for busy machines. */
@Tag("long")
class BrokerBenchTest {
  private static final String CLASS_PATH =
      Path.of("..", "cluster", "target", "lib").toAbsolutePath() + File.separator + "*";
  private static final Pattern LOG = Pattern.compile("see its log: (.*)/node-1/broker.log");

  private final List<String> notes = new ArrayList<>();

  private final Progress progress =
      new Progress() {
        @Override
        public void advanced(int done, int total, String current, Duration left) {}

        @Override
        public void note(String text) {
          notes.add(text);
        }
      };

  private BrokerBench.Outcome run(BrokerContender contender) throws InterruptedException {
    BrokerOptions options =
        new BrokerOptions(
            List.of(BrokerLoad.POLLS), List.of(contender), 1, Duration.ofSeconds(2), 10, 10, 1);
    return new BrokerBench(options, progress).run();
  }

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void measuresPollsOfARealBroker() throws Exception {
    BrokerBench.Outcome outcome = run(BrokerContender.kafka(CLASS_PATH));
    assertThat(outcome.failures()).isZero();
    assertThat(notes).isEmpty();
    assertThat(outcome.rows()).allMatch(row -> row.bench().equals("broker-polls"));
    assertThat(outcome.rows().stream().map(Row::metric))
        .contains("requests", "CPU per request", "CPU of compilers per request", "late, p99");
    assertThat(value(outcome, "requests")).isPositive();
    assertThat(value(outcome, "CPU per request")).isPositive();
  }

  private static double value(BrokerBench.Outcome outcome, String metric) {
    return outcome.rows().stream()
        .filter(row -> row.metric().equals(metric))
        .findFirst()
        .orElseThrow()
        .median();
  }

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void reportsABrokerThatDoesNotStartAndKeepsItsLog() throws Exception {
    Map<String, String> settings = Map.of("metric.reporters", "nonsense.Reporter");
    BrokerBench.Outcome outcome =
        run(new BrokerContender("kafka", CLASS_PATH, false, true, settings));
    assertThat(outcome.failures()).isEqualTo(1);
    assertThat(outcome.rows().stream().map(Row::metric)).containsExactly("failed");
    assertThat(notes).hasSize(1);
    Matcher log = LOG.matcher(notes.get(0));
    assertThat(log.find()).as(notes.get(0)).isTrue();
    assertThat(Path.of(log.group(1), "node-1", "broker.log"))
        .content()
        .contains("nonsense.Reporter");
    delete(Path.of(log.group(1)));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
