package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.feature.StageTimeouts;
import dev.purgatory.benchmarks.jvm.Heap;
import dev.purgatory.benchmarks.jvm.NewThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Measures putting a timeout on a stage and completing another one, and what is left of stages that
 * ended.
 */
final class StageTimeoutsMeasurement implements Measurement {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Object ANSWER = "answer";

  @Override
  public void measure(String contender, Settings settings, Output out)
      throws IOException, InterruptedException {
    NewThreads threads = new NewThreads();
    Output output = out.with("jdk", Runtime.version().feature());
    int entries = settings.number("entries");
    IOException failure = new IOException("failed");
    try (StageTimeouts timeouts = Lineup.STAGE_TIMEOUTS.start(contender)) {
      output.lowerIsBetter(
          "heap left per completed stage",
          "bytes",
          left(timeouts, entries, stage -> stage.complete(ANSWER)));
      output.lowerIsBetter(
          "heap left per failed stage",
          "bytes",
          left(timeouts, entries, stage -> stage.completeExceptionally(failure)));
    }
    try (StageTimeouts timeouts = Lineup.STAGE_TIMEOUTS.start(contender)) {
      Turns turns = new Turns(timeouts, settings.number("pending"));
      Cost.warmUp(turns, settings);
      Cost.of(turns, settings.millis("length")).report(output, "limit");
      PacedCost.report(turns::turn, "paced limit", threads, settings, output);
    }
  }

  private static double left(
      StageTimeouts timeouts, int entries, Consumer<CompletableFuture<Object>> end)
      throws InterruptedException {
    timeAndEnd(timeouts, 1000, end); // creates everything that is created only once
    long before = Heap.usedAfterCollection();
    timeAndEnd(timeouts, entries, end);
    return Heap.left(before) / entries;
  }

  private static void timeAndEnd(
      StageTimeouts timeouts, int entries, Consumer<CompletableFuture<Object>> end) {
    List<CompletableFuture<Object>> stages = new ArrayList<>(entries);
    for (int i = 0; i < entries; i++) {
      CompletableFuture<Object> stage = new CompletableFuture<>();
      CompletableFuture<Object> unused = timeouts.timeout(stage, TIMEOUT);
      stages.add(stage);
    }
    stages.forEach(end);
  }

  private static final class Turns implements Cost.Work {
    private static final int BATCH = 1000;

    private final StageTimeouts timeouts;
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<CompletableFuture<Object>> stages = new ArrayList<>();
    private final List<CompletableFuture<Object>> timed = new ArrayList<>();

    Turns(StageTimeouts timeouts, int pending) {
      this.timeouts = timeouts;
      for (int i = 0; i < pending; i++) {
        stages.add(new CompletableFuture<>());
        timed.add(timeouts.timeout(stages.get(i), TIMEOUT));
      }
    }

    @Override
    public int perform() {
      for (int i = 0; i < BATCH; i++) {
        turn();
      }
      return BATCH;
    }

    void turn() {
      int ended = random.nextInt(stages.size());
      stages.get(ended).complete(ANSWER);
      if (!timed.get(ended).isDone()) {
        throw new IllegalStateException("the future of the stage is not done");
      }
      CompletableFuture<Object> stage = new CompletableFuture<>();
      stages.set(ended, stage);
      timed.set(ended, timeouts.timeout(stage, TIMEOUT));
    }
  }
}
