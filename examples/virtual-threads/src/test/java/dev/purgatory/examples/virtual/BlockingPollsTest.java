package dev.purgatory.examples.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testkit.VirtualTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BlockingPollsTest {
  private final VirtualTime time = VirtualTime.create();
  private final BlockingPolls server = new BlockingPolls(time.purgatory("polls", String.class));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void nothingIsLeft() {
    threads.close();
    time.assertNothingPending();
    time.close();
  }

  private Future<List<String>> startReader() throws InterruptedException {
    Future<List<String>> reader = threads.submit(() -> server.poll("topic", 0));
    while (server.pending() == 0) {
      Thread.sleep(1);
    }
    return reader;
  }

  @Test
  void message_resumesTheReader() throws Exception {
    Future<List<String>> reader = startReader();
    server.append("topic", "hello");
    assertThat(reader.get()).containsExactly("hello");
  }

  @Test
  void timeout_resumesTheReader() throws Exception {
    Future<List<String>> reader = startReader();
    time.advance(Duration.ofSeconds(30));
    assertThat(reader.get()).isEmpty();
  }

  @Test
  void interrupt_cancelsTheRequest() throws Exception {
    Future<List<String>> reader = startReader();
    assertThat(reader.cancel(true)).isTrue();
    threads.close();
    assertThat(server.pending()).isZero();
  }

  @Test
  void main_needsFewPlatformThreads() throws Exception {
    Matcher output =
        Pattern.compile(
                """
                10000 readers wait on (\\d+) platform threads
                9999 are left after an interrupt
                9999 get the message, 0 are left
                """)
            .matcher(outputOfMain());
    assertThat(output.matches()).as("%s", output).isTrue();
    int ofJvmAndTests = 20;
    assertThat(Integer.parseInt(output.group(1)))
        .isLessThan(Runtime.getRuntime().availableProcessors() + ofJvmAndTests);
  }

  private static String outputOfMain() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      BlockingPolls.main();
    } finally {
      System.setOut(out);
    }
    return bytes.toString(StandardCharsets.UTF_8).replace("\r\n", "\n");
  }
}
