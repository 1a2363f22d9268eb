package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.feature.SessionTable;
import dev.purgatory.benchmarks.jvm.Heap;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Measures touching one of many sessions, for as long as their timeout: so the deadline of each
 * session is checked or moved once, however a contender does that. None should expire.
 */
final class SessionsMeasurement implements Measurement {

  @Override
  public void measure(String contender, Settings settings, Output out) throws InterruptedException {
    int sessions = settings.number("sessions");
    Long[] ids = LongStream.range(0, sessions).boxed().toArray(Long[]::new);
    Collections.shuffle(Arrays.asList(ids), new Random(1));
    Output output = out.with("sessions", sessions);
    measureHeap(contender, List.of(ids), output);
    Duration timeout = settings.millis("length");
    try (SessionTable table = Lineup.SESSIONS.start(contender).start(timeout)) {
      Turns turns = new Turns(table, ids);
      Cost.warmUp(turns, settings);
      Cost.of(turns, timeout).report(output, "touch");
      output.lowerIsBetter("expired", "sessions", turns.expired);
    }
  }

  private static void measureHeap(String contender, List<Long> ids, Output out)
      throws InterruptedException {
    try (SessionTable table = Lineup.SESSIONS.start(contender).start(Duration.ofHours(1))) {
      long before = Heap.usedAfterCollection();
      ids.forEach(table::open);
      ids.forEach(table::touch);
      out.lowerIsBetter("heap per session", "bytes", Heap.left(before) / ids.size());
    }
  }

  private static final class Turns implements Cost.Work {
    private static final int BATCH = 1000;

    private final SessionTable table;
    private final Long[] ids;
    private int next;
    private int expired;

    Turns(SessionTable table, Long[] ids) {
      this.table = table;
      this.ids = ids.clone();
      List.of(ids).forEach(table::open);
      // else each touch would read the memory next to the touch before
      Collections.shuffle(Arrays.asList(this.ids), new Random(2));
    }

    @Override
    public int perform() {
      for (int i = 0; i < BATCH; i++) {
        next = next + 1 < ids.length ? next + 1 : 0;
        if (!table.touch(ids[next])) {
          expired++; // a busy machine took longer than the timeout for all of them
          table.open(ids[next]);
        }
      }
      return BATCH;
    }
  }
}
