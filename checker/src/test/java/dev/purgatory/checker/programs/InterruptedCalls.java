package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import dev.purgatory.executor.WheelScheduledExecutor;
import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls keep the interrupt flag of their caller; no callback begins with the flag of another. */
final class InterruptedCalls {
  private static final int CALLBACKS = 500;

  private static final List<String> LOST = new ArrayList<>();

  private InterruptedCalls() {}

  /** Calls on an interrupted thread. */
  private static void call(String name, Callable<?> call) {
    Thread.currentThread().interrupt();
    try {
      Object unused = call.call();
    } catch (Exception e) {
      LOST.add(name + " throws " + e);
    }
    if (!Thread.interrupted()) {
      LOST.add(name);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // call() gets them
  public static void main(String[] args) throws Exception {
    Timer timer = Timer.builder().start("clock");
    Purgatory<String> purgatory = Purgatory.builder("calls", String.class).timer(timer).build();
    call("hold", () -> purgatory.<String>untilCompleted().orTimeout(Duration.ofHours(1)).hold("k"));
    call("signal", () -> purgatory.signal("k"));
    call("failForKey", () -> purgatory.failForKey("k", new IllegalStateException()));
    call("cancelAll", purgatory::cancelAll);
    call("snapshot", () -> purgatory.inspect().snapshot(3));
    Sessions<String, String> sessions = new Sessions<>(timer, Duration.ofMillis(200), end -> {});
    call("open", () -> sessions.open("k", ""));
    call("touch", () -> sessions.touch("k"));
    Throttles<String> throttles = new Throttles<>(purgatory, timer, Rate.perSecond(10));
    call("acquire", () -> throttles.acquire("k", 1));
    WheelScheduledExecutor executor = WheelScheduledExecutor.builder().threads(1).build();
    call("schedule", () -> executor.schedule(() -> 1, 10, TimeUnit.MILLISECONDS));
    call("shutdownNow", executor::shutdownNow);

    AtomicInteger begun = new AtomicInteger();
    AtomicInteger interrupted = new AtomicInteger();
    Runnable rude =
        () -> {
          interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
          begun.incrementAndGet();
          Thread.currentThread().interrupt();
        };
    Thread main = Thread.currentThread();
    Sessions<Integer, String> ends =
        new Sessions<>(timer, Duration.ofMillis(10), end -> rude.run());
    for (int i = 0; i < CALLBACKS; i++) {
      Duration limit = Duration.ofMillis(50 + i % 7);
      var unused =
          purgatory
              .<String>untilCompleted()
              .orTimeout(limit)
              .hold("k" + i)
              .whenComplete(
                  (value, error) -> {
                    if (Thread.currentThread() != main) {
                      rude.run();
                    } else {
                      begun.incrementAndGet();
                    }
                  });
      timer.schedule(rude, limit);
      var unusedSession = ends.open(i, "");
    }
    boolean all = Wait.until(() -> begun.get() == 3 * CALLBACKS);
    System.out.println(
        "flags lost: " + LOST + ", all called: " + all + ", began interrupted: " + interrupted);
  }
}
