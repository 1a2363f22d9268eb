package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.console.Console;
import dev.purgatory.testkit.VirtualTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Examples that do what they are for, some requests of which time out, are no finding of the
 * console. In virtual time, so a busy machine makes no finding either.
 */
@Timeout(60)
class HealthyTest {
  private static final int REQUESTS = 50;
  private static final Pattern FINDING = Pattern.compile("\"kind\":\"([^\"]*)\"");

  private final VirtualTime time = VirtualTime.create();
  private final List<Purgatory<?>> all = new ArrayList<>();

  @AfterEach
  void close() {
    all.forEach(Purgatory::close);
    time.close();
  }

  private Purgatory<String> purgatory(String name) {
    Purgatory<String> made =
        time.builder(name, String.class).diagnostics(new Diagnostics()).build();
    all.add(made);
    return made;
  }

  private <I, R> Replies<I, R> replies(String name, Class<I> ids, Class<R> replies) {
    Replies<I, R> made =
        time.<I, R>replies(name, ids, replies).diagnostics(new Diagnostics()).build();
    all.add(made.purgatory());
    return made;
  }

  /** Returns the next sample of the page. */
  private static String sample(BufferedReader page) throws IOException {
    String line = page.readLine();
    while (!line.startsWith("data: ")) {
      line = page.readLine();
    }
    return line;
  }

  /** Runs a program while a page is open, and returns the kinds of what the page finds. */
  private List<String> findings(Runnable program) throws IOException {
    try (Console console = Console.serve(all.toArray(new Purgatory<?>[0]));
        BufferedReader page =
            new BufferedReader(
                new InputStreamReader(
                    console.address().resolve("/events").toURL().openStream(),
                    StandardCharsets.UTF_8))) {
      List<String> samples = new ArrayList<>();
      samples.add(sample(page));
      program.run();
      samples.add(sample(page)); // may be from before the end
      samples.add(sample(page));
      samples.add(sample(page)); // some findings take two samples
      assertThat(samples).allMatch(each -> each.contains("\"findings\":"));
      return samples.stream()
          .flatMap(each -> FINDING.matcher(each).results())
          .map(found -> found.group(1))
          .distinct()
          .toList();
    }
  }

  @Test
  void examples_areHealthy() throws IOException {
    LongPoll topics = new LongPoll(purgatory("topics"));
    Approvals approvals =
        new Approvals(replies("approvals", String.class, Approvals.Decision.class));
    ReadYourWrites reads = new ReadYourWrites(purgatory("reads"));
    AwaitReply calls =
        new AwaitReply((id, request) -> {}, replies("calls", Integer.class, String.class));
    Map<String, String> rows = new ConcurrentHashMap<>();
    Receipts receipts =
        new Receipts(
            purgatory("receipts"), order -> CompletableFuture.completedFuture(rows.get(order)));
    List<CompletableFuture<?>> requests = new ArrayList<>();
    List<String> findings =
        findings(
            () -> {
              for (int i = 0; i < REQUESTS; i++) {
                requests.add(topics.poll("topic-" + i, 0));
                requests.add(topics.poll("popular", i % 3));
                requests.add(approvals.ask("call-" + i, "agent " + i));
                requests.add(reads.untilApplied("p" + i % 5, i));
                requests.add(calls.call("request"));
                requests.add(receipts.receipt("order-" + i));
              }
              for (int i = 0; i < REQUESTS; i++) {
                time.advance(Duration.ofMillis(100));
                topics.append("nobody-" + i, "message");
                topics.append("popular", "message");
                reads.onApplied("p" + i % 5, i);
                if (i % 5 != 0) { // the others time out
                  topics.append("topic-" + i, "message");
                  approvals.decide("call-" + i, Approvals.Decision.APPROVED);
                  calls.onReply(i + 1, "reply");
                }
                rows.put("order-" + i, "paid");
                if (i % 2 == 0) { // another process has written the others
                  receipts.onPaid("order-" + i);
                }
              }
              time.advance(Duration.ofMinutes(11));
            });
    assertThat(requests).allMatch(CompletableFuture::isDone);
    assertThat(findings).isEmpty();
  }

  @Test
  void examplesWithAMistake_areFound() throws IOException {
    Purgatory<String> orders = purgatory("orders");
    List<String> findings =
        findings(
            () -> {
              AtomicBoolean paid = new AtomicBoolean();
              for (int i = 0; i < REQUESTS; i++) {
                HeldFuture<String> held =
                    orders
                        .until(() -> paid.get() ? "paid" : null)
                        .orTimeout(Duration.ofSeconds(5))
                        .hold("order");
                assertThat(held).isNotDone();
              }
              paid.set(true);
              for (int i = 0; i < REQUESTS; i++) {
                assertThat(orders.signal("ordre")).isZero();
              }
              time.advance(Duration.ofSeconds(6));
            });
    assertThat(findings).containsExactlyInAnyOrder("missed-signal", "unheard-signals");
  }
}
