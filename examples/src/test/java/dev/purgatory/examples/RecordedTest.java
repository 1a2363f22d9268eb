package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecordedTest {
  @Test
  void lateTimeout_isLogged() throws InterruptedException {
    BlockingQueue<String> log = new LinkedBlockingQueue<>();
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    PurgatoryBuilder<String> builder =
        Purgatory.builder("polls", String.class).timer(timer).expirationExecutor(Runnable::run);
    try (RecordingStream watching = Recorded.watch(log::add);
        Purgatory<String> polls = builder.build()) {
      assertThat(watching).isNotNull();
      HeldFuture<String> poll =
          polls.<String>until(() -> null).orAfter(Duration.ofSeconds(1), () -> "none").hold("a");
      nanos.addAndGet(Duration.ofMillis(1_100).toNanos());
      timer.advance();
      assertThat(poll).isDone();
      assertThat(log.poll(30, TimeUnit.SECONDS)).isEqualTo("late by 100 ms");
    }
  }

  @Test
  void pending_isAnAttribute() throws JMException {
    try (Purgatory<String> polls = Recorded.managed()) {
      assertThat(polls.until(() -> null).forever().hold("a")).isNotDone();
      assertThat(Recorded.pending("polls")).isEqualTo(1);
    }
  }
}
