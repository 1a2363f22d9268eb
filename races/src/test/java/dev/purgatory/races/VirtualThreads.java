package dev.purgatory.races;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.SignalQueue;
import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import javax.management.ObjectName;

/**
 * A program whose virtual threads hold, move, cancel, complete and signal requests, while platform
 * threads take the locks of the timer. It ends with status 1 if nothing moves any more: until JDK
 * 23, a virtual thread that waits for a lock while it holds a monitor keeps its carrier, and if the
 * next one in the lock's queue needs that carrier, nobody ever runs again.
 */
public final class VirtualThreads {
  private static final int THREADS = 500;
  private static final long MOST_REQUESTS = 400_000;
  private static final Duration MOST_TIME = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Timer timer = Timer.builder().start("stress");
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("stress", Integer.class).timer(timer).build();
  private final Sessions<Integer, Object> sessions =
      new Sessions<>(timer, LONG, end -> {}, Runnable::run);
  private final SignalQueue<Integer> marks = new SignalQueue<>(purgatory);
  private final LongAdder requests = new LongAdder();
  private final AtomicBoolean stopped = new AtomicBoolean();

  private VirtualThreads() {}

  /**
   * Runs it.
   *
   * @param args where to write the threads' stacks if nothing moves
   * @throws Exception if a request ends in a wrong way
   */
  public static void main(String... args) throws Exception {
    VirtualThreads stress = new VirtualThreads();
    List<Thread> lockers = List.of(new Thread(stress::draw), new Thread(stress::purge));
    for (Thread locker : lockers) {
      locker.setDaemon(true);
      locker.start();
    }
    ExecutorService threads = virtualThreads();
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      running.add(threads.submit(() -> stress.work(number)));
    }
    boolean moves = stress.watch();
    if (!moves) {
      dump(args[0]);
      System.out.println("HANG after " + stress.requests + " requests");
      Runtime.getRuntime().halt(1);
    }
    stress.stopped.set(true);
    for (Future<?> thread : running) {
      thread.get();
    }
    if (stress.purgatory.pending() != 0 || stress.sessions.size() != 0) {
      throw new AssertionError(stress.purgatory + " " + stress.sessions.size() + " sessions");
    }
    System.out.println(stress.requests + " requests");
    stress.timer.close();
    threads.shutdown();
  }

  /** The class is compiled with JDK 17, which has no virtual threads. */
  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }

  private void work(int number) {
    for (int i = 0; !stopped.get(); i++) {
      HeldFuture<String> request =
          purgatory.<String>until(() -> null).orTimeout(LONG).hold(number % 7, 7 + number % 5);
      check(request.reschedule(LONG.plusSeconds(i % 100)));
      switch (i % 4) {
        case 0 -> check(request.complete("done"));
        case 1 -> check(request.cancel(false));
        case 2 -> {
          purgatory.signal(number % 7);
          marks.mark(7 + number % 5);
          marks.run();
          check(request.completeExceptionally(new IllegalStateException()));
        }
        default -> {
          Session<Integer, Object> session = sessions.open(number, this);
          check(session.touch());
          session.close();
          check(request.cancel(false));
        }
      }
      requests.increment();
    }
  }

  private static void check(boolean right) {
    if (!right) {
      throw new AssertionError();
    }
  }

  private void draw() {
    while (!stopped.get()) {
      TimerInternals.of(timer).wheels().buckets(0);
    }
  }

  private void purge() {
    while (!stopped.get()) {
      TimerInternals.of(timer).wheels().purge();
    }
  }

  /** Returns false if no request has ended for some time. */
  private boolean watch() throws InterruptedException {
    long begin = System.nanoTime();
    long moved = begin;
    long before = 0;
    while (before < MOST_REQUESTS && System.nanoTime() - begin < MOST_TIME.toNanos()) {
      Thread.sleep(10);
      long now = requests.sum();
      if (now > before) {
        moved = System.nanoTime();
        before = now;
      } else if (System.nanoTime() - moved > PATIENCE.toNanos()) {
        return false;
      }
    }
    return true;
  }

  private static void dump(String file) throws Exception {
    Files.deleteIfExists(Path.of(file));
    ManagementFactory.getPlatformMBeanServer()
        .invoke(
            new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
            "dumpThreads",
            new Object[] {file, "TEXT_PLAIN"},
            new String[] {String.class.getName(), String.class.getName()});
  }
}
