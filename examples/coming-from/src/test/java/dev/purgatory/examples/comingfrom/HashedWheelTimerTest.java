package dev.purgatory.examples.comingfrom;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Timeouts: {@code HashedWheelTimer}, {@link WheelTimer}, and the timer of the library. */
class HashedWheelTimerTest {
  private static final ThreadFactory THREADS = Executors.defaultThreadFactory();
  private static final long ID = 7;

  private final CountDownLatch timedOut = new CountDownLatch(1);

  private void onTimeout(long id) {
    assertThat(id).isEqualTo(ID);
    timedOut.countDown();
  }

  private static Timer before() {
    // sample: from-hashed-wheel-timer
    Timer timer = new HashedWheelTimer(THREADS, 100, MILLISECONDS);
    // end
    return timer;
  }

  private static Timer after() {
    // sample: to-wheel-timer
    Timer timer = new WheelTimer(THREADS, 1, MILLISECONDS);
    // end
    return timer;
  }

  static List<Timer> timers() {
    return List.of(before(), after());
  }

  @ParameterizedTest
  @MethodSource("timers")
  void timeout_isCancelled_orFires(Timer timer) throws InterruptedException {
    long id = ID;
    // sample: netty-timeout
    Timeout timeout = timer.newTimeout(expired -> onTimeout(id), 30, SECONDS);
    timeout.cancel();
    // end
    assertThat(timeout.isCancelled()).isTrue();
    Timeout fires = timer.newTimeout(expired -> onTimeout(id), 5, MILLISECONDS);
    assertThat(timedOut.await(30, SECONDS)).isTrue();
    assertThat(fires.isCancelled()).isFalse();
    assertThat(timer.stop()).isEmpty();
  }

  @Test
  void withoutNetty() throws InterruptedException {
    long id = ID;
    // sample: to-timer
    var timer = dev.purgatory.timer.Timer.builder().start("timeouts");
    var timeout = timer.schedule(() -> onTimeout(id), Duration.ofSeconds(30));
    timeout.cancel();
    // end
    try (timer) {
      assertThat(timeout.isPending()).isFalse();
      var unused = timer.schedule(() -> onTimeout(id), Duration.ofMillis(5));
      assertThat(timedOut.await(30, SECONDS)).isTrue();
    }
  }
}
