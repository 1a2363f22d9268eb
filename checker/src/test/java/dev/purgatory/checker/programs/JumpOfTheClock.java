package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Long timeouts after the clock has jumped by 146 years or more. */
final class JumpOfTheClock {
  private static final long[] JUMPS = {
    0, Long.MAX_VALUE / 2 - 1_000, Long.MAX_VALUE / 2 + 1_000, Long.MAX_VALUE - 2_000_000_000
  };
  private static final long[] TIMEOUTS = {
    1_000_000, Long.MAX_VALUE / 4, Long.MAX_VALUE / 2 - 1, Long.MAX_VALUE
  };

  private JumpOfTheClock() {}

  public static void main(String[] args) {
    long early = 0;
    for (long jump : JUMPS) {
      for (long timeout : TIMEOUTS) {
        early += expiredEarly(jump, Duration.ofNanos(timeout));
      }
    }
    System.out.println("expired early: " + early);
  }

  private static long expiredEarly(long jump, Duration timeout) {
    AtomicLong clock = new AtomicLong();
    Timer timer = Timer.builder().ticker(clock::get).build();
    Purgatory<String> purgatory =
        Purgatory.builder("jump", String.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .build();
    clock.addAndGet(jump);
    int unused = timer.advance();
    HeldFuture<String> held = purgatory.<String>untilCompleted().orTimeout(timeout).hold("key");
    HeldFuture<String> moved =
        purgatory.<String>untilCompleted().orTimeout(Duration.ofSeconds(1)).hold("key");
    boolean unusedMoved = moved.reschedule(timeout);
    HeldFuture<String> stage = purgatory.timeout(new CompletableFuture<>(), timeout);
    AtomicInteger ran = new AtomicInteger();
    var unusedTask = timer.schedule(ran::incrementAndGet, timeout);
    unused = timer.advance();
    return ran.get()
        + Stream.of(held, moved, stage).filter(each -> each.outcome() == Outcome.TIMED_OUT).count();
  }
}
