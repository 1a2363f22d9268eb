package dev.purgatory.examples;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of docs/use/troubleshooting.md have these names. */
@Timeout(60)
class TroubleshootingTest {
  private static final Path ROOT = Path.of("..");
  private static final String PREFIX = "purgatory-polls-";

  @Test
  void pageNamesAllThreadsOfAPurgatory() throws IOException {
    String lanes = Files.readString(ROOT.resolve("core/src/main/java/dev/purgatory/Lanes.java"));
    Stream<String> names = find("prefix \\+ \"(\\w+)\"", lanes).stream();
    assertThat(find("\\| `" + PREFIX + "(\\w+)` \\|", page()))
        .containsExactlyInAnyOrderElementsOf(Stream.concat(names, Stream.of("clock")).toList());
  }

  @Test
  void blockedAnswer_isOnTheThreadThatThePageNames() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).build()) {
      HeldFuture<String> poll =
          polls
              .<String>untilCompleted()
              .orAfter(
                  Duration.ofMillis(1),
                  () -> {
                    blocked.countDown();
                    return await(goOn, Thread.currentThread().getName());
                  })
              .hold("a");
      blocked.await();
      assertThat(Thread.getAllStackTraces().keySet())
          .extracting(Thread::getName)
          .contains(PREFIX + "expiration", PREFIX + "clock");
      goOn.countDown();
      assertThat(poll.get(30, SECONDS)).isEqualTo(PREFIX + "expiration");
    }
  }

  private static String await(CountDownLatch latch, String result) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return result;
  }

  private static List<String> find(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/use/troubleshooting.md"));
  }
}
