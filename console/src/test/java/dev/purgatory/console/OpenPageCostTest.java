package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures what an open page costs beside a million held requests: the time to hold and complete
 * another one, in turns without a page and with one. Runs only if the property {@code
 * console.cost.seconds} says how long a turn is.
 */
@EnabledIfSystemProperty(named = "console.cost.seconds", matches = "\\d+")
class OpenPageCostTest {
  private static final int HELD = 1_000_000;
  private static final int KEYS = 10_000;
  private static final int ROUNDS = 9; // the first one warms up
  private static final long TURN =
      TimeUnit.SECONDS.toNanos(Long.getLong("console.cost.seconds", 4));

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class).diagnostics(new Diagnostics()).build();
  private final List<HeldFuture<String>> held = new ArrayList<>();

  @Test
  void cost_ofAnOpenPage() throws Exception {
    for (int i = 0; i < HELD; i++) {
      held.add(polls.<String>until(() -> null).forever().hold("key-" + i % KEYS));
    }
    try (Console console = Console.builder().add(polls).showKeys().serve()) {
      for (int round = 0; round < ROUNDS; round++) {
        String without = turn();
        String with;
        try (InputStream page = console.address().resolve("/events").toURL().openStream()) {
          Thread reader = new Thread(() -> drain(page));
          reader.setDaemon(true);
          reader.start();
          with = turn();
        }
        System.out.println("round " + round + ": without a page " + without + ", with " + with);
      }
    }
    assertThat(polls.pending()).isEqualTo(HELD);
    polls.close();
  }

  private static void drain(InputStream page) {
    try {
      while (page.read(new byte[8192]) >= 0) {
        // a browser would show it
      }
    } catch (IOException e) {
      // closed
    }
  }

  /** Returns the nanoseconds of a request: by the clock, and of the processor on this thread. */
  private String turn() {
    long start = System.nanoTime();
    long processor = threads.getCurrentThreadCpuTime();
    long requests = 0;
    while (System.nanoTime() - start < TURN) {
      for (int i = 0; i < 1_000; i++) {
        HeldFuture<String> poll =
            polls.<String>until(() -> null).forever().hold("key-" + requests % KEYS);
        requests += poll.complete("x") ? 1 : 0;
      }
    }
    return String.format(
        Locale.ROOT,
        "%d ns (processor %d ns)",
        (System.nanoTime() - start) / requests,
        (threads.getCurrentThreadCpuTime() - processor) / requests);
  }
}
