package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DiagnosedTest {
  @Test
  void forgottenSignal_isReported() {
    assertThat(output(Diagnosed::main)).isEqualTo("never signalled: {a=1}\n");
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
