package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.NewThreads;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * What requests cost that arrive one by one, at random, at a rate that leaves the machine idle most
 * of the time. Then a thread that is woken for a request is worth more than the request.
 *
 * <p>Processor time includes the calls and the contender's threads. The thread that makes the calls
 * sleeps between them, which costs more than a call and is not counted.
 */
final class PacedCost {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long SEED = 1;
  private static final Duration SETTLING = Duration.ofMillis(300);

  private final Runnable request;
  private final double gapNanos;
  private final SplittableRandom random = new SplittableRandom(SEED);

  private PacedCost(Runnable request, int perSecond) {
    this.request = request;
    this.gapNanos = 1e9 / perSecond;
  }

  /**
   * Measures requests at the setting {@code rate}, for the setting {@code paced}.
   *
   * @param request makes the calls of one request
   * @param operation the name of a request
   * @param threads those of the contender are new
   */
  static void report(
      Runnable request, String operation, NewThreads threads, Settings settings, Output out)
      throws IOException {
    int perSecond = settings.number("rate");
    PacedCost paced = new PacedCost(request, perSecond);
    paced.run(SETTLING);
    NewThreads.Reading before = threads.now();
    Calls calls = paced.run(settings.millis("paced"));
    NewThreads.Reading after = threads.now();
    Output output = out.with("rate", perSecond);
    double nanos = calls.cpuNanos + after.cpuNanosSince(before);
    output.lowerIsBetter(operation + ", CPU", "us", nanos / 1e3 / calls.requests);
    after
        .wakeUpsSince(before)
        .ifPresent(
            wakeUps ->
                output.lowerIsBetter(
                    operation + ", wake-ups", "wake-ups", wakeUps / (double) calls.requests));
  }

  private record Calls(int requests, long cpuNanos) {}

  private Calls run(Duration length) {
    long start = System.nanoTime();
    long cpu = 0;
    int requests = 0;
    double due = 0;
    do {
      due += -Math.log(1 - random.nextDouble()) * gapNanos;
      sleepUntil(start + (long) due);
      long before = THREADS.getCurrentThreadCpuTime();
      request.run();
      cpu += THREADS.getCurrentThreadCpuTime() - before;
      requests++;
    } while (due < length.toNanos());
    return new Calls(requests, cpu);
  }

  private static void sleepUntil(long time) {
    long left;
    while ((left = time - System.nanoTime()) > 0) {
      LockSupport.parkNanos(left);
    }
  }
}
