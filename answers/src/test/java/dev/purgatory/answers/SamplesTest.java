package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Runs the samples of docs/use/answers-across-instances.md. */
class SamplesTest {

  @Test
  void decision_isAwaitedOnOneInstance_andMadeOnAnother() throws Exception {
    KafkaServer server = KafkaServer.shared();
    server.createTopic("approvals", 3, Map.of());
    List<AnswerStore> stores = new ArrayList<>();
    try (SharedReplies<String> here = Approvals.overKafka(server.bootstrap(), stores::add);
        SharedReplies<String> there = Approvals.overKafka(server.bootstrap(), stores::add)) {
      decide(new Approvals(here), new Approvals(there));
    } finally {
      stores.forEach(AnswerStore::close);
    }
  }

  @Test
  void decision_isMade_inATableOfPostgres() throws Exception {
    DataSource dataSource = PostgresServer.shared().dataSource();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(PostgresAnswerStoreTest.statementOfThePage());
    }
    try (AnswerStore store = Approvals.overPostgres(dataSource);
        SharedReplies<String> replies =
            Approvals.withKey(store, "0123456789abcdef".getBytes(UTF_8))) {
      decide(new Approvals(replies), new Approvals(replies));
    }
  }

  @Test
  void client_readsWhatItHasWritten_onAnyInstance() throws Exception {
    KafkaServer server = KafkaServer.shared();
    String topic = server.createTopic(2, Map.of());
    List<TopicPartition> partitions =
        List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
    try (CopyOfATopic here = new CopyOfATopic(server.config(), topic, partitions);
        CopyOfATopic there = new CopyOfATopic(server.config(), topic, partitions)) {
      for (String key : List.of("a", "b", "c", "d")) {
        CompletableFuture<String> read = there.read(key, here.write(key, key + 1));
        assertThat(read).isNotDone();
        while (!read.isDone()) {
          there.applyNext();
        }
        assertThat(read).isCompletedWithValue(key + 1);
      }
    }
  }

  private static void decide(Approvals here, Approvals there) throws Exception {
    String id = here.ask("Delete all?");
    assertThat(here.sent()).containsExactly(id + " Delete all?");
    HeldFuture<String> poll = here.poll(id);
    assertThat(get(there.decide(id, "no"))).isEqualTo("Thank you");
    assertThat(get(poll)).isEqualTo("no");
    assertThat(get(here.decide(id, "yes"))).isEqualTo("It was decided: no");
    assertThat(get(there.onDeadline(id)).won()).isFalse();

    String forgotten = here.ask("And now?");
    assertThat(get(there.onDeadline(forgotten)).won()).isTrue();
    assertThat(get(here.poll(forgotten))).startsWith("declined");
  }
}
