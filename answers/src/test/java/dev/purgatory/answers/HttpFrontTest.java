package dev.purgatory.answers;

import static dev.purgatory.answers.AnswerStoreContract.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two instances over Kafka, each with an {@link HttpFront}, between good clients and attackers. */
@Tag("long")
@Timeout(120)
class HttpFrontTest {
  private static final byte[] KEY = "a secret of the service".getBytes(UTF_8);
  private static final int IDS = 400;
  private static final int PATIENCE_MILLIS = 5_000;

  /** Connections that never send anything. */
  private static final int SILENT = 100;

  /**
   * Between connections that send half a request. Each occupies a thread until a front gives up.
   */
  private static final long SLOW_EVERY_MILLIS = 100;

  /** Those of the fronts, tables, stores and clients; attackers open some thousand connections. */
  private static final int MOST_THREADS = 150;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final List<SharedReplies<String>> tables = new ArrayList<>();
  private final List<HttpFront> fronts = new ArrayList<>();

  /** Ids that have an answer, as an attacker sees them. */
  private final List<String> answered = new CopyOnWriteArrayList<>();

  private final AtomicLong attacks = new AtomicLong();
  private final Queue<String> successes = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  @BeforeEach
  void open() throws Exception {
    KafkaServer server = KafkaServer.shared();
    String topic = server.createTopic(4, Map.of());
    for (int i = 0; i < 2; i++) {
      AnswerStore store = opened(new KafkaAnswerStore(server.config(), topic));
      SharedReplies<String> table =
          opened(
              new SharedReplies<>(
                  "approvals",
                  KEY,
                  Purgatory.builder("approvals", String.class).build(),
                  store,
                  text -> text.getBytes(UTF_8),
                  bytes -> new String(bytes, UTF_8)));
      tables.add(table);
      fronts.add(opened(new HttpFront(table)));
    }
  }

  private <T extends AutoCloseable> T opened(T each) {
    opened.push(each);
    return each;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  @Test
  void attackers_answerNothing_keepNobodyOut_andTakeNoMoreThanTheyMay() throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    int before = threads.getThreadCount();
    threads.resetPeakThreadCount();
    ExecutorService attackers = threads(3);
    List<Future<?>> attacking =
        List.of(
            attackers.submit(this::forge),
            attackers.submit(this::forge),
            attackers.submit(this::dawdle));
    ExecutorService polling = threads(12);
    ExecutorService answering = threads(4);
    List<Future<String>> learned = new ArrayList<>();
    List<Future<String>> given = new ArrayList<>();
    for (int i = 0; i < IDS; i++) {
      String id = tables.get(i % 2).newId();
      String answer = "answer " + i;
      learned.add(polling.submit(() -> learn(id)));
      given.add(answering.submit(() -> sendUntilDone("POST", id, answer)));
    }
    for (int i = 0; i < IDS; i++) {
      assertThat(get(learned.get(i))).isEqualTo("answer " + i);
      assertThat(get(given.get(i))).isEqualTo("answer " + i);
    }
    over = true;
    for (Future<?> each : attacking) {
      Object unused = get(each);
    }
    assertThat(successes).isEmpty();
    assertThat(attacks.get()).isGreaterThan(IDS);
    assertThat(threads.getPeakThreadCount() - before).isLessThan(MOST_THREADS);
  }

  private ExecutorService threads(int number) {
    ExecutorService threads = Executors.newFixedThreadPool(number);
    opened(threads::shutdownNow);
    return threads;
  }

  private String learn(String id) throws InterruptedException {
    String answer = sendUntilDone("GET", id, "");
    answered.add(id);
    return answer;
  }

  /** Tries again at any instance, until there is an answer; returns it. */
  private String sendUntilDone(String method, String id, String body) throws InterruptedException {
    while (true) {
      String reply = send(method, id, body);
      String status = status(reply);
      if (status.equals("200") || status.equals("409")) {
        return reply.substring(reply.indexOf("\r\n\r\n") + 4);
      }
      Thread.sleep(10); // cut off
    }
  }

  private static String status(String reply) {
    return reply.length() < 12 ? "" : reply.substring(9, 12);
  }

  private HttpFront anyFront() {
    return fronts.get(ThreadLocalRandom.current().nextInt(fronts.size()));
  }

  /** Sends a request to any instance; returns the reply, empty if there is none. */
  private String send(String method, String id, String body) {
    try (Socket socket = connect()) {
      write(socket, head(method, id, body.length()) + body);
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), anyFront().port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private static String head(String method, String id, int length) {
    return method
        + " /"
        + id
        + " HTTP/1.1\r\nHost: any\r\nConnection: close\r\nContent-Length: "
        + length
        + "\r\n\r\n";
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  /** Sends ids that the table has not made, and other answers to ids that it has made. */
  private void forge() {
    while (!over) {
      boolean isAnswered = !answered.isEmpty();
      String seen = isAnswered ? any(answered) : tables.get(0).newId();
      for (String id : forged(seen)) {
        attack("POST", id, "forged", "4");
        attack("GET", id, "", "4");
      }
      attack("POST", seen, "x".repeat(HttpFront.MOST_BYTES + 1), "413");
      if (isAnswered) {
        attack("POST", seen, "replayed", "409");
      }
    }
  }

  private static <T> T any(List<T> all) {
    return all.get(ThreadLocalRandom.current().nextInt(all.size()));
  }

  private void attack(String method, String id, String body, String expected) {
    attacks.incrementAndGet();
    String reply = send(method, id, body);
    if (!reply.isEmpty() && !status(reply).startsWith(expected)) {
      successes.add(method + " " + id + ": " + reply);
    }
  }

  private static List<String> forged(String seen) {
    String text = seen.substring(0, seen.lastIndexOf('.'));
    long tomorrow = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
    String later = text.replaceFirst("\\.\\d+\\.", "." + tomorrow + ".");
    assertThat(later).isNotEqualTo(text);
    return List.of(
        "",
        text,
        seen.substring(1),
        seen.substring(0, seen.length() - 1),
        seen + "x",
        later + seen.substring(text.length()),
        new Ids("approvals", null).id(text),
        new Ids("approvals", null).id(later),
        new Ids("approvals", "a guessed secret".getBytes(UTF_8)).id(text),
        new Ids("payments", KEY).id(text), // an id of another table of the service
        seen + "%0d%0aSet-Cookie:%20a=b",
        "..%2f" + seen,
        "%",
        "x".repeat(100_000));
  }

  /** Opens connections and sends nothing, or half a head, or half a body. */
  private Void dawdle() throws IOException, InterruptedException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < SILENT; i++) {
        sockets.add(connect());
      }
      while (!over) {
        String head = head("POST", any(List.of("x", tables.get(0).newId())), 100);
        Socket next = connect();
        sockets.add(next);
        write(next, attacks.incrementAndGet() % 2 == 0 ? head + "half" : head.substring(0, 20));
        Thread.sleep(SLOW_EVERY_MILLIS);
      }
    } finally {
      for (Socket each : sockets) {
        each.close();
      }
    }
    return null;
  }
}
