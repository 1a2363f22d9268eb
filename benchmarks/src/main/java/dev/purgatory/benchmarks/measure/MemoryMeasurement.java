package dev.purgatory.benchmarks.measure;

import com.sun.management.ThreadMXBean;
import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.jvm.Heap;
import dev.purgatory.benchmarks.workload.Ledger;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What operations take of the heap: while they are pending, after they are completed, and as
 * garbage. The request itself and its data are in all of it, as with the floor.
 */
final class MemoryMeasurement implements Measurement {
  private static final long FOR_EVER = TimeUnit.HOURS.toMillis(1);
  private static final int QUIET_KEYS = 900;

  /** For threads that tidy up now and then. */
  private static final long TIDYING_MILLIS = 300;

  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    warmUp(named);
    for (int keys : settings.numbers("keys")) {
      int operations = Math.max(100, settings.number("entries") / keys);
      measureHeap(named, KeyLists.of(keys), operations, out.with("keys", keys));
    }
    measureAllocation(named, settings.number("entries"), out.with("keys", 3));
    measureReachable(named, out);
  }

  /** What is made once, with the first. */
  private static void warmUp(Contenders named) throws InterruptedException {
    try (Contender contender = named.open(new Ledger())) {
      holdAndComplete(contender, KeyLists.of(3), 1000);
      Thread.sleep(TIDYING_MILLIS);
    }
  }

  private static void measureHeap(Contenders named, KeyLists keys, int operations, Output out)
      throws InterruptedException {
    try (Contender contender = named.open(new Ledger())) {
      contender.hold(Payload.of(0, 0), keys.next(), FOR_EVER).complete();
      @Nullable Held[] held = new @Nullable Held[operations];
      long before = Heap.usedAfterCollection();
      for (int i = 0; i < operations; i++) {
        held[i] = contender.hold(Payload.of(i, 0), keys.next(), FOR_EVER);
      }
      long pending = Heap.usedAfterCollection() - before;
      out.lowerIsBetter("heap per pending operation", "bytes", pending / (double) operations);
      completeAll(held);
      System.gc(); // For those that tidy up after the collector.
      Thread.sleep(TIDYING_MILLIS);
      long left = Math.max(0, Heap.usedAfterCollection() - before);
      out.lowerIsBetter("heap left per completed operation", "bytes", left / (double) operations);
    }
  }

  private static void completeAll(@Nullable Held[] held) {
    for (Held request : held) {
      if (request != null) {
        request.complete();
      }
    }
    Arrays.fill(held, null);
  }

  /** Of the calling thread alone, which does nearly all of it. */
  private static void measureAllocation(Contenders named, int operations, Output out) {
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    KeyLists keys = KeyLists.of(3);
    try (Contender contender = named.open(new Ledger())) {
      holdAndComplete(contender, keys, operations);
      long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      holdAndComplete(contender, keys, operations);
      long after = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      out.lowerIsBetter(
          "allocation per operation", "bytes", (after - before) / (double) operations);
    }
  }

  private static void holdAndComplete(Contender contender, KeyLists keys, int operations) {
    for (int i = 0; i < operations; i++) {
      contender.hold(Payload.of(i, 0), keys.next(), FOR_EVER).complete();
    }
  }

  /** Each operation is completed by a busy key, and waits for one more, which stays quiet. */
  private static void measureReachable(Contenders named, Output out) throws InterruptedException {
    Key busy = new Key(-1);
    List<WeakReference<byte[]>> payloads = new ArrayList<>();
    try (Contender contender = named.open(new Ledger())) {
      for (int i = 0; i < QUIET_KEYS; i++) {
        byte[] payload = Payload.of(i, 0);
        contender.hold(payload, List.of(busy, new Key(i)), FOR_EVER);
        Payload.makeAnswerable(payload);
        payloads.add(new WeakReference<>(payload));
      }
      contender.check(busy);
      Thread.sleep(TIDYING_MILLIS);
      Heap.usedAfterCollection();
      long reachable = payloads.stream().filter(payload -> payload.get() != null).count();
      out.lowerIsBetter("still reachable after completion", "%", 100.0 * reachable / QUIET_KEYS);
      contender.check(busy); // So that it is used, and not collected before.
    }
  }
}
