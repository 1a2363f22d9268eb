package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.feature.ReplyTable;
import dev.purgatory.benchmarks.jvm.Heap;
import dev.purgatory.benchmarks.jvm.NewThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures awaiting a reply and completing another one, by ids that are used once, while the
 * timeouts of lost replies come due.
 */
final class RepliesMeasurement implements Measurement {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Object REPLY = "reply";

  @Override
  public void measure(String contender, Settings settings, Output out)
      throws IOException, InterruptedException {
    NewThreads threads = new NewThreads();
    measureHeap(contender, settings.number("entries"), out);
    try (ReplyTable table = Lineup.REPLIES.start(contender)) {
      Turns turns = new Turns(table, settings, settings.number("lost"));
      Cost.warmUp(turns, settings);
      Cost.of(turns, settings.millis("length")).report(out, "reply");
    }
    try (ReplyTable table = Lineup.REPLIES.start(contender)) {
      int sent = settings.number("rate") * (int) TIMEOUT.toSeconds();
      Turns turns = new Turns(table, settings, sent / settings.number("one-lost-in"));
      PacedCost.report(turns::turn, "paced reply", threads, settings, out);
    }
    try (ReplyTable table = Lineup.REPLIES.start(contender);
        ReplyTable other = table.another()) {
      Burst.report(timeouts(table), timeouts(other), threads, settings, out);
    }
  }

  /** Returns timeouts of replies that never come. */
  private static Burst.Timeouts timeouts(ReplyTable table) {
    AtomicLong ids = new AtomicLong();
    return (nanos, ended) -> {
      CompletableFuture<Object> unused =
          table
              .expect(ids.getAndIncrement(), Duration.ofNanos(nanos))
              .whenComplete((reply, error) -> ended.run());
    };
  }

  private static void measureHeap(String contender, int entries, Output out)
      throws InterruptedException {
    try (ReplyTable table = Lineup.REPLIES.start(contender)) {
      fillAndEmpty(table, 0, entries); // creates everything that is created only once
      List<Long> ids = new ArrayList<>(entries);
      long before = Heap.usedAfterCollection();
      for (long id = 0; id < entries; id++) {
        ids.add(id);
        CompletableFuture<Object> unused = table.expect(id, TIMEOUT);
      }
      long pending = Heap.usedAfterCollection() - before;
      out.lowerIsBetter("heap per awaited reply", "bytes", pending / (double) entries);
      ids.forEach(id -> table.complete(id, REPLY));
      ids.clear();
      out.lowerIsBetter("heap left per reply", "bytes", Heap.left(before) / entries);
    }
  }

  private static void fillAndEmpty(ReplyTable table, long first, int entries) {
    for (long id = first; id < first + entries; id++) {
      CompletableFuture<Object> unused = table.expect(id, TIMEOUT);
    }
    for (long id = first; id < first + entries; id++) {
      table.complete(id, REPLY);
    }
  }

  private static final class Turns implements Cost.Work {
    private static final int BATCH = 1000;

    private final ReplyTable table;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Long[] awaited;
    private final int oneLostIn;
    private long next;

    Turns(ReplyTable table, Settings settings, int lost) {
      this.table = table;
      this.oneLostIn = settings.number("one-lost-in");
      this.awaited = new Long[settings.number("awaited")];
      loseSome(lost);
      for (int i = 0; i < awaited.length; i++) {
        awaited[i] = send(TIMEOUT);
      }
    }

    /** Awaits replies that never come and whose timeouts are evenly spread from now on. */
    private void loseSome(int lost) {
      for (int i = 0; i < lost; i++) {
        Long unused = send(TIMEOUT.multipliedBy(i).dividedBy(lost));
      }
    }

    private Long send(Duration timeout) {
      Long id = next++;
      CompletableFuture<Object> unused = table.expect(id, timeout);
      return id;
    }

    @Override
    public int perform() {
      for (int i = 0; i < BATCH; i++) {
        turn();
      }
      return BATCH;
    }

    void turn() {
      int answered = random.nextInt(awaited.length);
      if (next % oneLostIn != 0 && !table.complete(awaited[answered], REPLY)) {
        throw new IllegalStateException("a reply was not awaited");
      }
      awaited[answered] = send(TIMEOUT);
    }
  }
}
