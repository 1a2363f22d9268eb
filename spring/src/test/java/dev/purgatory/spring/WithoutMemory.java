package dev.purgatory.spring;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.InMemoryAnswerStore;
import dev.purgatory.answers.SharedReplies;
import dev.purgatory.console.Console;
import dev.purgatory.console.Findings;
import dev.purgatory.micrometer.PurgatoryMetrics;
import dev.purgatory.micrometer.PurgatoryObservations;
import dev.purgatory.netty.WheelTimer;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.ImmediateExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Uses a part of the library while the heap is full, its handling of errors for the first time.
 * With memory again, it must work. The argument names the part. Exits with 0 if it works.
 */
@SuppressWarnings({
  "StaticAssignmentOfThrowable", // made while there is memory
  "SystemExitOutsideMain" // run in a JVM of its own
})
final class WithoutMemory {
  private static final int ROUNDS = 3;
  private static final int EACH = 10;

  /** At most so many small objects are freed before a call, which then fails at another place. */
  private static final int SPARE = 300;

  private static final Duration SOON = Duration.ofMillis(50);
  private static final RuntimeException FAILURE = new IllegalStateException("expected");

  private static @Nullable Link chain;
  private static int failures;

  private WithoutMemory() {}

  /** A part of the library. */
  private interface Part {
    /** Begins what is due soon: when there is no memory. */
    void begin() throws Exception;

    /** Called {@link #EACH} times without memory, or with very little. May throw anything. */
    void use(int number) throws Exception;

    /** Called with memory again; throws if something does not work. */
    void check() throws Exception;
  }

  @SuppressWarnings("UnusedVariable") // they only fill the heap
  private static final class Link {
    final @Nullable Link next;
    final byte[] weight;

    Link(@Nullable Link next, int weight) {
      this.next = next;
      this.weight = new byte[weight];
    }
  }

  public static void main(String[] args) {
    try {
      Part part =
          switch (args[0]) {
            case "netty" -> new OfNetty(ImmediateExecutor.INSTANCE);
            case "netty-executor" -> new OfNetty(Runnable::run);
            case "answers" -> new OfAnswers();
            case "metrics" -> new OfMetrics();
            case "console" -> new OfConsole();
            default -> throw new IllegalArgumentException(args[0]);
          };
      SplittableRandom random = new SplittableRandom(1);
      part.check(); // only the handling of errors is cold
      for (int round = 0; round < ROUNDS; round++) {
        part.begin();
        fill(1 << 16);
        for (int i = 0; i < EACH; i++) {
          spare(random.nextInt(SPARE));
          try {
            part.use(i);
          } catch (Throwable e) {
            failures++;
          }
          fill(0);
        }
        Thread.sleep(2 * SOON.toMillis());
        chain = null;
        part.check();
      }
      System.out.println(failures);
      System.exit(failures == 0 ? 1 : 0);
    } catch (Throwable e) {
      chain = null;
      e.printStackTrace();
      System.exit(1);
    }
  }

  /** Fills the heap to the last object, beginning with large ones. */
  private static void fill(int largest) {
    for (int weight = largest; ; weight /= 8) {
      try {
        for (; ; ) {
          chain = new Link(chain, weight);
        }
      } catch (OutOfMemoryError e) {
        if (weight == 0) {
          return;
        }
      }
    }
  }

  private static void spare(int links) {
    for (int i = 0; i < links && chain != null; i++) {
      chain = chain.next;
    }
  }

  private static void await(BooleanSupplier condition, String what) throws InterruptedException {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i == 3_000) {
        throw new AssertionError("after 30 seconds, it is not true: " + what);
      }
      Thread.sleep(10);
    }
  }

  private static final class OfNetty implements Part {
    private final WheelTimer timer;
    private final AtomicInteger ran = new AtomicInteger();
    private final List<Timeout> timeouts = new ArrayList<>();

    OfNetty(Executor executor) {
      timer =
          new WheelTimer(
              Executors.defaultThreadFactory(), 1, MILLISECONDS, 512, false, -1, executor);
    }

    @Override
    public void begin() {
      ran.set(0);
      timeouts.clear();
      for (int i = 0; i < EACH; i++) {
        timeouts.add(timer.newTimeout(new Failing(), SOON.toMillis(), MILLISECONDS));
      }
    }

    private final class Failing implements TimerTask {
      @Override
      public void run(Timeout timeout) {
        ran.incrementAndGet();
        throw FAILURE;
      }

      @Override
      public void cancelled(Timeout timeout) {
        throw FAILURE;
      }
    }

    @Override
    public void use(int number) {
      if (number % 2 == 0) {
        boolean unused = timeouts.get(number).cancel();
      } else {
        timer.newTimeout(timeout -> {}, 1, MILLISECONDS);
      }
    }

    @Override
    public void check() throws Exception {
      await(() -> timer.pendingTimeouts() == 0, "nothing is pending");
      int cancelled = 0;
      for (Timeout each : timeouts) {
        cancelled += each.isCancelled() ? 1 : 0;
      }
      int others = timeouts.size() - cancelled;
      await(() -> ran.get() == others, others + " others have run");
      CompletableFuture<Boolean> next = new CompletableFuture<>();
      timer.newTimeout(timeout -> next.complete(true), 1, MILLISECONDS);
      boolean unused = next.get(30, SECONDS);
    }
  }

  private static final class OfAnswers implements Part {
    private static final byte[] BYTES = {1};
    private final AnswerStore store = new InMemoryAnswerStore(10_000);
    private final SharedReplies<String> replies =
        new SharedReplies<>("answers", store, text -> BYTES, bytes -> "yes");
    private final List<String> ids = new ArrayList<>();
    private final List<HeldFuture<String>> waits = new ArrayList<>();
    private final List<HeldFuture<String>> late = new ArrayList<>();

    @Override
    public void begin() {
      ids.clear();
      waits.clear();
      late.clear();
      for (int i = 0; i < EACH; i++) {
        ids.add(replies.newId());
        waits.add(replies.await(ids.get(i), Duration.ofMinutes(10)));
        late.add(replies.await(replies.newId(), SOON));
      }
    }

    /** As another instance that shares the store. */
    @Override
    public void use(int number) {
      var unused = store.complete(ids.get(number), BYTES);
    }

    @Override
    public void check() throws Exception {
      for (String each : ids) {
        var unused = replies.complete(each, "yes").get(30, SECONDS);
      }
      for (HeldFuture<String> each : waits) {
        if (!each.get(30, SECONDS).equals("yes")) {
          throw new AssertionError(each);
        }
      }
      for (HeldFuture<String> each : late) {
        boolean unusedToo = each.handle((value, error) -> true).get(30, SECONDS);
      }
      if (replies.pending() != 0) {
        throw new AssertionError(replies);
      }
    }
  }

  private static final class OfMetrics implements Part {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "metrics");
    private final Purgatory<Integer> purgatory;

    OfMetrics() {
      ObservationRegistry observations = ObservationRegistry.create();
      observations
          .observationConfig()
          .observationHandler(
              new ObservationHandler<>() {
                @Override
                public boolean supportsContext(Observation.Context context) {
                  return true;
                }
              });
      purgatory =
          metrics.bind(
              Purgatory.builder("metrics", Integer.class)
                  .listener(new PurgatoryObservations(observations, "metrics"))
                  .diagnostics(new Diagnostics()));
    }

    @Override
    public void begin() {
      for (int i = 0; i < EACH; i++) {
        var unused = hold(i);
      }
    }

    private HeldFuture<String> hold(int key) {
      return purgatory.<String>untilCompleted().orTimeout(SOON).hold(key);
    }

    private void scrape() {
      registry.forEachMeter(meter -> meter.measure().forEach(each -> each.getValue()));
    }

    @Override
    public void use(int number) {
      if (number % 2 == 0) {
        purgatory.failForKey(number, FAILURE);
      } else {
        scrape();
      }
    }

    @Override
    public void check() throws Exception {
      await(() -> purgatory.pending() == 0, "nothing is pending");
      scrape();
      Timer timer = registry.get("purgatory.held").tag("outcome", "timed_out").timer();
      long before = timer.count();
      var unused = hold(-1).handle((value, error) -> true).get(30, SECONDS);
      await(() -> timer.count() > before, "a timeout is counted");
    }
  }

  private static final class OfConsole implements Part {
    private final Purgatory<Integer> purgatory =
        Purgatory.builder("console", Integer.class).diagnostics(new Diagnostics()).build();
    private final Findings findings = new Findings(purgatory);

    OfConsole() {
      Console unused = Console.builder().add(purgatory).showKeys().serve();
    }

    @Override
    public void begin() {
      for (int i = 0; i < EACH; i++) {
        var unused = purgatory.<String>untilCompleted().orTimeout(SOON).hold(i);
      }
    }

    @Override
    public void use(int number) {
      purgatory.signal(number);
      findings.find(String::valueOf);
    }

    @Override
    public void check() throws Exception {
      findings.find(String::valueOf);
      if (Thread.getAllStackTraces().keySet().stream()
          .noneMatch(each -> each.getName().equals("purgatory-console-watch"))) {
        throw new AssertionError("nobody looks for findings");
      }
    }
  }
}
