package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.feature.StageLimits;
import dev.purgatory.benchmarks.jvm.Heap;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Measures limiting a stage and completing another one, and what is left of stages that ended. */
final class LimitsMeasurement implements Measurement {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Object ANSWER = "answer";

  @Override
  public void measure(String contender, Settings settings, Output out) throws InterruptedException {
    Output output = out.with("jdk", Runtime.version().feature());
    int entries = settings.number("entries");
    IOException failure = new IOException("failed");
    try (StageLimits limits = Lineup.LIMITS.start(contender)) {
      output.lowerIsBetter(
          "heap left per completed stage",
          "bytes",
          left(limits, entries, stage -> stage.complete(ANSWER)));
      output.lowerIsBetter(
          "heap left per failed stage",
          "bytes",
          left(limits, entries, stage -> stage.completeExceptionally(failure)));
    }
    try (StageLimits limits = Lineup.LIMITS.start(contender)) {
      Turns turns = new Turns(limits, settings.number("pending"));
      Cost.warmUp(turns, settings);
      Cost.of(turns, settings.millis("length")).report(output, "limit");
    }
  }

  private static double left(
      StageLimits limits, int entries, Consumer<CompletableFuture<Object>> end)
      throws InterruptedException {
    limitAndEnd(limits, 1000, end); // creates everything that is created only once
    long before = Heap.usedAfterCollection();
    limitAndEnd(limits, entries, end);
    return Left.since(before) / entries;
  }

  private static void limitAndEnd(
      StageLimits limits, int entries, Consumer<CompletableFuture<Object>> end) {
    List<CompletableFuture<Object>> stages = new ArrayList<>(entries);
    for (int i = 0; i < entries; i++) {
      CompletableFuture<Object> stage = new CompletableFuture<>();
      CompletableFuture<Object> unused = limits.limit(stage, TIMEOUT);
      stages.add(stage);
    }
    stages.forEach(end);
  }

  private static final class Turns implements Cost.Work {
    private static final int BATCH = 1000;

    private final StageLimits limits;
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<CompletableFuture<Object>> stages = new ArrayList<>();
    private final List<CompletableFuture<Object>> limited = new ArrayList<>();

    Turns(StageLimits limits, int pending) {
      this.limits = limits;
      for (int i = 0; i < pending; i++) {
        stages.add(new CompletableFuture<>());
        limited.add(limits.limit(stages.get(i), TIMEOUT));
      }
    }

    @Override
    public int perform() {
      for (int i = 0; i < BATCH; i++) {
        int ended = random.nextInt(stages.size());
        stages.get(ended).complete(ANSWER);
        if (!limited.get(ended).isDone()) {
          throw new IllegalStateException("the limited stage is not done");
        }
        CompletableFuture<Object> stage = new CompletableFuture<>();
        stages.set(ended, stage);
        limited.set(ended, limits.limit(stage, TIMEOUT));
      }
      return BATCH;
    }
  }
}
