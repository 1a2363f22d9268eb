package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The samples of docs/use/answers-across-instances.md: one instance of a service. */
final class Approvals {
  private final Queue<String> sent = new ConcurrentLinkedQueue<>();

  Approvals(SharedReplies<String> approvals) {
    this.approvals = approvals;
  }

  // sample: shared-replies
  private final SharedReplies<String> approvals;

  String ask(String question) {
    String id = approvals.newId();
    send(id, question);
    return id;
  }

  HeldFuture<String> poll(String id) {
    return approvals.await(id, Duration.ofSeconds(30));
  }

  CompletableFuture<String> decide(String id, String decision) {
    return approvals
        .complete(id, decision)
        .thenApply(done -> done.won() ? "Thank you" : "It was decided: " + done.answer());
  }

  // end

  // sample: shared-replies-deadline
  CompletableFuture<Completion<String>> onDeadline(String id) { // a job of your scheduler
    return approvals.complete(id, "declined: nobody answered in three days");
  }

  // end

  static SharedReplies<String> overKafka(String servers, Consumer<AnswerStore> opened) {
    // sample: shared-replies-kafka
    AnswerStore store = new KafkaAnswerStore(Map.of("bootstrap.servers", servers), "approvals");
    SharedReplies<String> approvals =
        new SharedReplies<>(
            "approvals", store, text -> text.getBytes(UTF_8), bytes -> new String(bytes, UTF_8));
    // end
    opened.accept(store);
    return approvals;
  }

  static SharedReplies<String> withKey(AnswerStore store, byte[] key) {
    // sample: shared-replies-key
    SharedReplies<String> approvals =
        new SharedReplies<>(
            "approvals",
            key, // a secret of the service, at least 16 random bytes
            Purgatory.builder("approvals", String.class).build(),
            store,
            text -> text.getBytes(UTF_8),
            bytes -> new String(bytes, UTF_8));
    // end
    return approvals;
  }

  static AnswerStore overPostgres(DataSource dataSource) {
    // sample: shared-replies-postgres
    AnswerStore store = new PostgresAnswerStore(dataSource, "answers");
    // end
    return store;
  }

  private void send(String id, String question) {
    sent.add(id + ' ' + question);
  }

  Queue<String> sent() {
    return sent;
  }
}
