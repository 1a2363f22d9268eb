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
 * Measures the heap that operations use while they are pending, the heap that remains after they
 * are completed, and allocation. All values include the request itself and its data, as on the
 * floor.
 */
final class MemoryMeasurement implements Measurement {
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final int QUIET_KEYS = 900;

  /** The time that background threads get to clean up. */
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

  /** Creates everything that a contender creates only once. */
  private static void warmUp(Contenders named) throws InterruptedException {
    try (Contender contender = named.open(new Ledger())) {
      holdAndComplete(contender, KeyLists.of(3), 1000);
      Thread.sleep(TIDYING_MILLIS);
    }
  }

  private static void measureHeap(Contenders named, KeyLists keys, int operations, Output out)
      throws InterruptedException {
    try (Contender contender = named.open(new Ledger())) {
      contender.hold(Payload.of(0, 0), keys.next(), LONG_MILLIS).complete();
      @Nullable Held[] held = new @Nullable Held[operations];
      long before = Heap.usedAfterCollection();
      for (int i = 0; i < operations; i++) {
        held[i] = contender.hold(Payload.of(i, 0), keys.next(), LONG_MILLIS);
      }
      long pending = Heap.usedAfterCollection() - before;
      out.lowerIsBetter("heap per pending operation", "bytes", pending / (double) operations);
      completeAll(held);
      System.gc(); // Some contenders clean up after the collector.
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

  /** Measures only the calling thread, which makes nearly all allocations. */
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
      contender.hold(Payload.of(i, 0), keys.next(), LONG_MILLIS).complete();
    }
  }

  /** Completes each operation through a busy key; it also waits on a key without any events. */
  private static void measureReachable(Contenders named, Output out) throws InterruptedException {
    Key busy = new Key(-1);
    List<WeakReference<byte[]>> payloads = new ArrayList<>();
    try (Contender contender = named.open(new Ledger())) {
      for (int i = 0; i < QUIET_KEYS; i++) {
        byte[] payload = Payload.of(i, 0);
        contender.hold(payload, List.of(busy, new Key(i)), LONG_MILLIS);
        Payload.makeAnswerable(payload);
        payloads.add(new WeakReference<>(payload));
      }
      contender.check(busy);
      Thread.sleep(TIDYING_MILLIS);
      Heap.usedAfterCollection();
      long reachable = payloads.stream().filter(payload -> payload.get() != null).count();
      out.lowerIsBetter("still reachable after completion", "%", 100.0 * reachable / QUIET_KEYS);
      contender.check(busy); // keeps the contender reachable until here
    }
  }
}
