package dev.purgatory.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.AnswerStoreMetrics;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.InMemoryAnswerStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AnswerMetricsTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Test
  void eachMetric_isPublished() {
    AnswerStore store = new Counting();
    // sample: metrics-answers
    new AnswerMetrics("approvals", store).bindTo(registry);
    // end
    assertThat(registry.scrape())
        .contains("purgatory_answers_written_total{name=\"approvals\"} 1.0\n")
        .contains("purgatory_answers_read_total{name=\"approvals\"} 2.0\n")
        .contains("purgatory_answers_looks{name=\"approvals\"} 3.0\n")
        .contains("purgatory_answers_window_bytes{name=\"approvals\"} 4.0\n")
        .contains("purgatory_answers_windows_restarted_total{name=\"approvals\"} 5.0\n")
        .contains("purgatory_answers_listeners_lost_total{name=\"approvals\"} 6.0\n");
  }

  @Test
  void storeThatCountsNothing_hasZeros() {
    AnswerStore store = new InMemoryAnswerStore(1);
    new AnswerMetrics("memory", store).bindTo(registry);
    assertThat(registry.get("purgatory.answers.read").functionCounter().count()).isZero();
  }

  private static final class Counting implements AnswerStore {
    @Override
    public AnswerStoreMetrics metrics() {
      return new AnswerStoreMetrics(1, 2, 3, 4, 5, 6);
    }

    @Override
    public String newId() {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<byte[]> follow(String id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
