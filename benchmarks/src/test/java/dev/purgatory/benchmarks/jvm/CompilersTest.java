package dev.purgatory.benchmarks.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CompilersTest {
  @Test
  void repeatsWorkUntilCompilersAreQuietWithALimit() throws InterruptedException {
    AtomicInteger rounds = new AtomicInteger();

    Compilers.repeatUntilQuiet(
        () -> {
          rounds.incrementAndGet();
          Thread.sleep(200);
        });

    assertThat(rounds.get()).isBetween(2, 8);
  }
}
