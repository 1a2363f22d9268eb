package dev.purgatory.examples.byhand;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Read your writes with what the JDK has. */
final class ReadYourWritesByHand {

  // sample: threshold-by-hand
  private static final class Partition {
    long applied = Long.MIN_VALUE;
    final TreeMap<Long, List<CompletableFuture<Long>>> waiting = new TreeMap<>();
  }

  private final Map<String, Partition> partitions = new ConcurrentHashMap<>();

  CompletableFuture<Long> untilApplied(String name, long offset) {
    Partition partition = partitions.computeIfAbsent(name, key -> new Partition());
    CompletableFuture<Long> read = new CompletableFuture<>();
    synchronized (partition) {
      if (partition.applied >= offset) {
        return CompletableFuture.completedFuture(partition.applied);
      }
      partition.waiting.computeIfAbsent(offset, key -> new ArrayList<>()).add(read);
    }
    return read.orTimeout(5, TimeUnit.SECONDS)
        .whenComplete((value, error) -> remove(partition, offset, read));
  }

  private static void remove(Partition partition, long offset, CompletableFuture<Long> read) {
    synchronized (partition) {
      List<CompletableFuture<Long>> waiting = partition.waiting.get(offset);
      if (waiting != null && waiting.removeIf(each -> each == read) && waiting.isEmpty()) {
        partition.waiting.remove(offset);
      }
    }
  }

  void onApplied(String name, long offset) {
    Partition partition = partitions.computeIfAbsent(name, key -> new Partition());
    List<CompletableFuture<Long>> reached = new ArrayList<>();
    synchronized (partition) {
      partition.applied = Math.max(partition.applied, offset);
      Map<Long, List<CompletableFuture<Long>>> head = partition.waiting.headMap(offset, true);
      head.values().forEach(reached::addAll);
      head.clear();
    }
    reached.forEach(read -> read.complete(offset)); // outside the lock
  }

  // end

  long waiting(String name) {
    Partition partition = partitions.computeIfAbsent(name, key -> new Partition());
    synchronized (partition) {
      return partition.waiting.size();
    }
  }
}
