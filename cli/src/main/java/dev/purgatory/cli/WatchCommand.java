package dev.purgatory.cli;

import dev.purgatory.Diagnostics;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.console.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a small server with a mistake, and serves the page that finds it. */
@Command(
    name = "watch",
    description = {
      "Serves a page that shows what a purgatory holds, what is wrong, and why a request still waits,"
          + " for browsers on this machine.",
      "The purgatory is that of a small server in this process. Clients poll three of its topics: one"
          + " works, nobody appends to one, and one has a mistake."
    },
    showDefaultValues = true)
final class WatchCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 3600;
  private static final int CLIENTS = 5;
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final Duration LONG_LIMIT = Duration.ofMinutes(10);
  private static final long PERIOD_MILLIS = 100;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long the page is served, in seconds, from 1 to " + MAX_SECONDS + ".")
  private int seconds = 600;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final Map<String, Integer> ends = new ConcurrentHashMap<>();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class).diagnostics(new Diagnostics()).build();

  @Override
  public Integer call() throws InterruptedException {
    Arguments.checkRange(spec, "--seconds", seconds, 1, MAX_SECONDS);
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.add(polls);
      Console console = cleanup.add(Console.builder().add(polls).showKeys().serve());
      for (int client = 1; client <= CLIENTS; client++) {
        poll("orders", "client " + client, LIMIT);
        poll("invoices", "client " + client, LIMIT);
        poll("returns", "client " + client, LONG_LIMIT);
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println("A server with long polls holds requests: " + console.address());
      out.println("Which of its topics is never signalled? Ctrl-C ends it.");
      out.flush();
      serve();
    }
    return 0;
  }

  private void serve() throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(seconds)) {
      append("orders");
      polls.signal("orders", "append");
      append("invoices"); // the mistake: it does not signal
      Thread.sleep(PERIOD_MILLIS);
    }
  }

  private void append(String topic) {
    ends.merge(topic, 1, Integer::sum);
  }

  /** Polls for the next message, and then again. */
  private void poll(String topic, String client, Duration limit) {
    int next = ends.getOrDefault(topic, 0) + 1;
    try {
      var unused =
          polls
              .until(() -> ends.getOrDefault(topic, 0) >= next ? "message " + next : null)
              .tag(client)
              .orAfter(limit, () -> "no message")
              .hold(topic)
              .thenRunAsync(() -> poll(topic, client, limit));
    } catch (PurgatoryClosedException e) {
      // The server ends.
    }
  }
}
