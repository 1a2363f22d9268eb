package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DiagnosedTest {
  @Test
  void forgottenSignal_isReported() {
    String printed = "";
    for (int i = 0; i < 3 && printed.isEmpty(); i++) {
      try {
        printed = output(Diagnosed::main);
      } catch (CompletionException e) {
        // Its thread was stopped for longer than its limit.
        assertThat(e).hasCauseInstanceOf(TimeoutException.class);
      }
    }
    assertThat(printed).isEqualTo("never signalled: {a=1}\n");
  }

  @Test
  void report_andExplanation() {
    try (Diagnosed server = new Diagnosed()) {
      HeldFuture<String> waiting = server.poll("b", Duration.ofSeconds(30));
      HeldFuture<String> done = server.poll("a", Duration.ofSeconds(30));
      server.put("a", "x");
      assertThat(done).isCompletedWithValue("x");
      assertThat(server.whyDoesItWait(waiting)).contains("waits on [b]; 2 checks");
      assertThat(output(server::report))
          .contains("held: count 1", "checks: count 1, p50 3", "never signalled: {}")
          .contains("busiest: {b=1}");
    }
  }

  @Test
  void request_isFollowedToItsEnd() {
    try (Diagnosed server = new Diagnosed()) {
      List<String> log = new ArrayList<>();
      HeldFuture<String> poll = server.poll("a", Duration.ofSeconds(30));
      server.follow(poll, log::add);
      server.put("a", "x");
      assertThat(poll).isCompletedWithValue("x");
      assertThat(server.poll("a", Duration.ofSeconds(30))).isCompletedWithValue("x");
      assertThat(log.stream().map(each -> each.replaceFirst("PT.*", "PT")))
          .containsExactly("ready, for null", "COMPLETED after PT");
    }
  }

  @Test
  void listener_logsEndsAndErrors() {
    List<String> log = new ArrayList<>();
    try (Purgatory<String> polls = Diagnosed.logged(log::add)) {
      assertThat(polls.<String>until(() -> null).forever().hold("a").cancel(false)).isTrue();
    }
    assertThat(log)
        .singleElement()
        .asString()
        .startsWith("HeldFuture[CANCELLED")
        .contains("for PT");
    Executor full =
        task -> {
          throw new RejectedExecutionException("full");
        };
    try (Purgatory<String> polls =
        Purgatory.builder("polls", String.class)
            .listener(new Diagnosed.RequestLog(log::add))
            .completionExecutor(full)
            .build()) {
      AtomicBoolean ready = new AtomicBoolean();
      assertThat(polls.until(() -> ready.get() ? "x" : null).forever().hold("a")).isNotDone();
      ready.set(true);
      assertThat(polls.signal("a")).isOne();
    }
    assertThat(log.get(1)).startsWith("EXECUTOR threw for HeldFuture").endsWith("full");
  }

  private static String output(Runnable program) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      program.run();
    } finally {
      System.setOut(before);
    }
    return output.toString(StandardCharsets.UTF_8);
  }
}
