package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How many records all instances read for each written one, on a real broker, as
 * docs/use/answers-across-instances.md says. Each id is awaited where it was made, and answered by
 * another instance, while 100 ids are open.
 */
class RecordsReadTest {
  private static final Path PAGE = Path.of("../docs/use/answers-across-instances.md");
  private static final Pattern ROW =
      Pattern.compile("\\n\\| (\\d+) \\| (\\d+) \\| (\\d+\\.\\d) \\| (\\d+\\.\\d) \\|");

  private static final byte[] ANSWER = {1};
  private static final int ANSWERS = 600;
  private static final int OPEN = 100;

  private final KafkaServer server = KafkaServer.shared();

  /** A row of the page. */
  record Row(int instances, int partitions, double offered, double completed) {}

  static List<Row> rows() throws Exception {
    Matcher row = ROW.matcher(Files.readString(PAGE));
    List<Row> rows = new ArrayList<>();
    while (row.find()) {
      rows.add(
          new Row(
              Integer.parseInt(row.group(1)),
              Integer.parseInt(row.group(2)),
              Double.parseDouble(row.group(3)),
              Double.parseDouble(row.group(4))));
    }
    assertThat(rows).extracting(Row::instances).contains(1, 3, 10);
    return rows;
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("rows")
  void recordsRead_areWhatThePageSays(Row row) throws Exception {
    assertThat(readForEachWritten(row, false))
        .isLessThanOrEqualTo(1.2)
        .isCloseTo(row.offered, within(0.1));
    assertThat(readForEachWritten(row, true)).isCloseTo(row.completed, within(0.5));
  }

  private double readForEachWritten(Row row, boolean asks) throws Exception {
    String topic = server.createTopic(row.partitions, Map.of());
    int instances = row.instances;
    List<KafkaAnswerStore> stores = new ArrayList<>();
    try {
      for (int i = 0; i < instances; i++) {
        stores.add(new KafkaAnswerStore(server.config(), topic));
      }
      while (!stores.stream().allMatch(each -> each.agreement.claimed >= 0)) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
      long before = read(stores);
      Deque<String> ids = new ArrayDeque<>();
      Deque<CompletableFuture<byte[]>> followers = new ArrayDeque<>();
      for (int i = 0; i < ANSWERS + OPEN; i++) {
        if (i < ANSWERS) {
          KafkaAnswerStore owner = stores.get(i % instances);
          ids.add(owner.newId());
          followers.add(owner.follow(ids.getLast()));
        }
        if (i >= OPEN) {
          int owner = (i - OPEN) % instances;
          int distance = 1 + i / instances % Math.max(1, instances - 1);
          KafkaAnswerStore other = stores.get((owner + distance) % instances);
          if (asks) {
            assertThat(get(other.complete(ids.remove(), ANSWER)).won()).isTrue();
          } else {
            get(other.offer(ids.remove(), ANSWER));
          }
          assertThat(get(followers.remove())).isEqualTo(ANSWER);
        }
      }
      return (read(stores) - before) / (double) ANSWERS;
    } finally {
      stores.forEach(KafkaAnswerStore::close);
    }
  }

  private static long read(List<KafkaAnswerStore> stores) {
    return stores.stream().mapToLong(each -> each.metrics().read()).sum();
  }
}
