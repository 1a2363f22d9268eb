package dev.purgatory.races;

import static dev.purgatory.races.Schedules.PATIENCE_MINUTES;
import static dev.purgatory.races.Schedules.doing;
import static dev.purgatory.races.Schedules.inFraysTime;
import static dev.purgatory.races.Schedules.require;
import static dev.purgatory.races.Schedules.together;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.purgatory.executor.WheelScheduledExecutor;
import dev.purgatory.netty.WheelTimer;
import dev.purgatory.timer.Timer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** As {@link EssayPrograms}, for the adapters of the timer. */
final class AdapterPrograms {
  private AdapterPrograms() {}

  /** Returns an executor whose tasks run on the thread that advances the clock. */
  private static WheelScheduledExecutor executor(VirtualPurgatory held) {
    return WheelScheduledExecutor.builder().timer(held.timer).executor(Runnable::run).build();
  }

  /** A task is cancelled while it is due or runs: its thread does not keep the interrupt. */
  static void wheelTaskRunsOrIsCancelled() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> task = executor(held).schedule(runs::incrementAndGet, 1, MILLISECONDS);
    held.reachTimeout();
    String results =
        together(
            () -> task.cancel(true),
            () -> {
              held.timer.advance();
              return Thread.interrupted();
            });
    String end = runs + " " + results;
    require(end, "0 true false", "1 false false", "1 true false"); // the last one while it runs
    require(held.timer.size(), 0);
  }

  /** A task is scheduled, and another one leaves the wheels, while the executor is stopped. */
  static void wheelScheduledExecutorForgetsNoTask() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    WheelScheduledExecutor executor = executor(held);
    AtomicInteger runs = new AtomicInteger();
    var unused = executor.schedule(runs::incrementAndGet, 1, MILLISECONDS);
    held.reachTimeout();
    Queue<Runnable> returned = new ConcurrentLinkedQueue<>();
    String accepted =
        together(
            () -> {
              try {
                return executor.schedule(runs::incrementAndGet, 5, MILLISECONDS) == null ? 0 : 1;
              } catch (RejectedExecutionException e) {
                return 0;
              }
            },
            doing(() -> returned.addAll(executor.shutdownNow())),
            doing(held.timer::advance));
    int tasks = 1 + Integer.parseInt(accepted);
    require(runs.get() + returned.size() + " " + held.timer.size(), tasks + " 0");
    require(executor.isTerminated(), true);
  }

  /** Two threads hand tasks to two workers, of which one sleeps: all run. */
  static void workersTakeEachTask() throws Exception {
    Timer timer = inFraysTime().start("race");
    WheelScheduledExecutor executor =
        WheelScheduledExecutor.builder().timer(timer).threads(2).build();
    AtomicInteger runs = new AtomicInteger();
    Schedules.Call tasks =
        doing(
            () -> {
              executor.execute(runs::incrementAndGet);
              var unused = executor.schedule(runs::incrementAndGet, 1, MILLISECONDS);
            });
    together(tasks, tasks);
    executor.shutdown();
    require(executor.awaitTermination(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    require(runs, 4);
    timer.close();
  }

  /** Netty's timer is stopped while a timeout is created and another one is due. */
  static void nettyTimerReturnsWhatIsLeft() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    WheelTimer timer = new WheelTimer(held.timer);
    AtomicInteger runs = new AtomicInteger();
    var unused = timer.newTimeout(timeout -> runs.incrementAndGet(), 1, MILLISECONDS);
    held.reachTimeout();
    String results =
        together(
            () -> {
              try {
                return timer.newTimeout(timeout -> runs.incrementAndGet(), 5, MILLISECONDS) == null
                    ? 0
                    : 1;
              } catch (IllegalStateException e) {
                return 0;
              }
            },
            () -> timer.stop().size(),
            doing(held.timer::advance));
    List<String> numbers = List.of(results.split(" "));
    int tasks = 1 + Integer.parseInt(numbers.get(0));
    require(runs.get() + Integer.parseInt(numbers.get(1)) + " " + held.timer.size(), tasks + " 0");
  }
}
