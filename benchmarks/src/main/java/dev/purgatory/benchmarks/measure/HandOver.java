package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.timer.BareTimer;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Adds timeouts on the calling thread and has another thread cancel them. They are handed over many
 * at a time, so that the hand-over itself costs next to nothing. The faster thread waits for the
 * other.
 */
final class HandOver implements Cost.Work, AutoCloseable {
  private static final int BATCH = 1000;
  private static final int BATCHES = 8;
  private static final long PATIENCE_SECONDS = 60;

  private final BareTimer timer;
  private final SplittableRandom random = new SplittableRandom(1);
  private final BlockingQueue<Object[]> full = new ArrayBlockingQueue<>(BATCHES);
  private final BlockingQueue<Object[]> empty = new ArrayBlockingQueue<>(BATCHES);
  private final Thread canceller = new Thread(this::cancelAll, "bench-canceller");

  HandOver(BareTimer timer) {
    this.timer = timer;
    for (int i = 0; i < BATCHES; i++) {
      empty.add(new Object[BATCH]);
    }
    canceller.setDaemon(true);
    canceller.start();
  }

  @Override
  public int perform() {
    try {
      Object[] batch = empty.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (batch == null) {
        throw new IllegalStateException("the other thread does not cancel timeouts");
      }
      for (int i = 0; i < BATCH; i++) {
        batch[i] = timer.add(Replacing.timeout(random));
      }
      full.put(batch);
      return BATCH;
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void cancelAll() {
    try {
      while (true) {
        Object[] batch = full.take();
        for (Object added : batch) {
          timer.cancel(added);
        }
        empty.put(batch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the end
    }
  }

  /** Ends the other thread, which leaves a few timeouts pending. */
  @Override
  public void close() {
    canceller.interrupt();
  }
}
