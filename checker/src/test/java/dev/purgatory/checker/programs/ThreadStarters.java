package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.KeyGroup;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.SignalQueue;
import dev.purgatory.Thresholds;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Which calls that end requests call the factory of the clock's thread on their caller? */
final class ThreadStarters {
  private static final Duration LONG = Duration.ofDays(365 * 200);

  private final Thread main = Thread.currentThread();
  private final AtomicInteger made = new AtomicInteger();
  private final Timer timer =
      TimerView.idleNanos(Timer.builder(), Duration.ofMillis(10).toNanos()).start(this::thread);
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("idle", Integer.class).timer(timer).build();
  private final List<String> starting = new ArrayList<>();

  private Thread thread(Runnable task) {
    if (Thread.currentThread() == main) {
      made.incrementAndGet();
    }
    Thread thread = new Thread(task, "clock");
    thread.setDaemon(true);
    return thread;
  }

  public static void main(String[] args) throws InterruptedException {
    System.out.println("calls that start a thread: " + new ThreadStarters().find());
  }

  private List<String> find() throws InterruptedException {
    Thresholds<Integer> thresholds = new Thresholds<>(purgatory);
    Replies<Integer, String> replies =
        Replies.builder("idle", Integer.class, String.class).timer(timer).build();
    SignalQueue<Integer> queue = new SignalQueue<>(purgatory, task -> {});
    boolean[] ready = new boolean[1];

    var unusedTask = timer.schedule(() -> {}, Duration.ofMillis(1)); // starts the first thread
    call("mark", () -> queue.mark(1));
    HeldFuture<String> future = purgatory.<String>untilCompleted().forever().hold(1);
    call("complete", () -> future.complete(""));
    var unused = purgatory.<String>until(() -> ready[0] ? "" : null).forever().hold(1);
    ready[0] = true;
    call("signal", () -> purgatory.signal(1));
    unused = purgatory.<String>untilCompleted().forever().hold(1);
    call("cancelForKey", () -> purgatory.cancelForKey(1));
    unused = replies.expect(1, LONG);
    call("reply", () -> replies.complete(1, ""));
    var unusedNumber = thresholds.reach(1, 5).forever().hold();
    call("advance", () -> thresholds.advance(1, 5));
    KeyGroup<Integer> group = purgatory.group(List.of(1, 2));
    call("KeyGroup.close", group::close);
    Scope scope = Scope.of("scope");
    unused = purgatory.<String>untilCompleted().inScope(scope).forever().hold(1);
    call("Scope.close", scope::close);
    CompletableFuture<String> stage = new CompletableFuture<>();
    unused = purgatory.timeout(stage, LONG);
    call("stage", () -> stage.complete(""));
    return starting;
  }

  /** Calls when the clock's thread has ended, or after a while. */
  private void call(String name, Runnable call) throws InterruptedException {
    for (int i = 0; i < 50 && clock().isPresent(); i++) {
      Thread.sleep(20);
    }
    int before = made.get();
    call.run();
    if (made.get() > before) {
      starting.add(name);
    }
  }

  private static Optional<Thread> clock() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("clock"))
        .findAny();
  }
}
