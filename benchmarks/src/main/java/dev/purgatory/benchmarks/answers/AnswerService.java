package dev.purgatory.benchmarks.answers;

import dev.purgatory.Scope;
import dev.purgatory.answers.AnswerStoreException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.KafkaException;

/**
 * An instance of the example service. A client sends a line for each request, beginning with a
 * number, and gets a line with the same number, in any order:
 *
 * <pre>
 *   new                     id ID
 *   await ID MILLIS         answer ANSWER, or timeout
 *   complete ID ANSWER      won ANSWER, or lost ANSWER
 *   offer ID ANSWER         offered ANSWER
 *   complete-weak ID ANSWER as complete, in a table without a key
 *   read                    read RECORDS
 *   anything                error REASON
 * </pre>
 */
public final class AnswerService {
  static final String ID = "id";
  static final String ANSWER = "answer";
  static final String TIMEOUT = "timeout";
  static final String WON = "won";
  static final String LOST = "lost";
  static final String OFFERED = "offered";
  static final String READ = "read";
  static final String ERROR = "error";

  private static final ObjectName CONSUMERS =
      name("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*");
  private static final long PAUSE_MILLIS = 200;

  private final Answers answers;

  private AnswerService(Answers answers) {
    this.answers = answers;
  }

  /**
   * Serves clients, until the process is killed.
   *
   * @param args {@code shared} or {@code by-hand}; the servers of Kafka; the topic; the port; how
   *     many milliseconds the clock is ahead
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            args[1],
            "client.id",
            "answers",
            // When a broker dies, clients should find the new leader in seconds, not minutes.
            "metadata.max.age.ms",
            2_000,
            "request.timeout.ms",
            5_000);
    Answers answers = connect(args[0], config, args[2], Long.parseLong(args[4]));
    new AnswerService(answers).serve(Integer.parseInt(args[3]));
  }

  /** Kafka may be disturbed at this moment, or the topic compacted. */
  private static Answers connect(
      String kind, Map<String, Object> config, String topic, long aheadMillis)
      throws InterruptedException {
    while (true) {
      try {
        return kind.equals(AnswersSoakPlan.BY_HAND)
            ? new ByHand(config, topic)
            : Answers.shared(config, topic, aheadMillis);
      } catch (AnswerStoreException | IllegalArgumentException | KafkaException e) {
        System.out.println("cannot connect to Kafka yet: " + e);
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private void serve(int port) throws IOException {
    try (ServerSocket server = new ServerSocket(port, 0, InetAddress.getLoopbackAddress())) {
      while (true) {
        Socket client = server.accept();
        Thread thread = new Thread(() -> serve(client), "client");
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        Scope waits = Scope.of("client");
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter out = new PrintWriter(client.getOutputStream(), true, StandardCharsets.UTF_8)) {
      client.setTcpNoDelay(true);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        var unused =
            reply(words, waits)
                .exceptionally(AnswerService::describe)
                .thenAccept(reply -> out.println(words[0] + " " + reply));
      }
    } catch (IOException e) {
      // The client has gone.
    }
  }

  private CompletableFuture<String> reply(String[] words, Scope waits) {
    try {
      return switch (words[1]) {
        case "new" -> CompletableFuture.completedFuture(ID + " " + answers.newId());
        case "await" ->
            answers
                .await(words[2], Duration.ofMillis(Long.parseLong(words[3])), waits)
                .thenApply(answer -> ANSWER + " " + answer);
        case "complete" ->
            answers
                .complete(words[2], words[3])
                .thenApply(done -> (done.won() ? WON : LOST) + " " + done.answer());
        case "offer" ->
            answers.offer(words[2], words[3]).thenApply(done -> OFFERED + " " + words[3]);
        case "complete-weak" ->
            answers.completeWeak(words[2], words[3]).thenApply(done -> WON + " " + done.answer());
        case READ -> CompletableFuture.completedFuture(READ + " " + recordsRead());
        default -> throw new IllegalArgumentException("no such request: " + words[1]);
      };
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static String describe(Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    return cause instanceof TimeoutException ? TIMEOUT : ERROR + " " + cause;
  }

  /** Returns how many records the consumers of this process have received, as Kafka counts. */
  private static long recordsRead() {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    double sum = 0;
    try {
      for (ObjectName consumer : beans.queryNames(CONSUMERS, null)) {
        double count = (double) beans.getAttribute(consumer, "records-consumed-total");
        sum += Double.isNaN(count) ? 0 : count;
      }
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
    return (long) sum;
  }

  private static ObjectName name(String name) {
    try {
      return ObjectName.getInstance(name);
    } catch (JMException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
