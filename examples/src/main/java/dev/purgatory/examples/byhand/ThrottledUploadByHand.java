package dev.purgatory.examples.byhand;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Throttled uploads with what the JDK has. */
final class ThrottledUploadByHand {
  private static final long BYTES_PER_SECOND = 10_000;
  private static final long BURST = 1_000;

  // sample: throttle-by-hand
  private record Chunk(long bytes, CompletableFuture<Long> future) {}

  private static final class Client {
    final Deque<Chunk> waiting = new ArrayDeque<>();
    double available = BURST;
    long refilled = System.nanoTime();
    boolean scheduled;
  }

  private final Map<String, Client> clients = new ConcurrentHashMap<>(); // never removed
  private final ScheduledExecutorService scheduler;

  CompletableFuture<Long> upload(String name, long bytes) {
    Client client = clients.computeIfAbsent(name, key -> new Client());
    CompletableFuture<Long> future = new CompletableFuture<>();
    synchronized (client) {
      client.waiting.add(new Chunk(bytes, future));
    }
    release(client);
    return future.orTimeout(30, TimeUnit.SECONDS); // if it ends, its chunk stays in the queue
  }

  private void release(Client client) {
    List<Chunk> released = new ArrayList<>();
    synchronized (client) {
      long now = System.nanoTime();
      double refill = (now - client.refilled) * (BYTES_PER_SECOND / 1e9);
      client.available = Math.min(BURST, client.available + refill);
      client.refilled = now;
      for (Chunk first; (first = client.waiting.peek()) != null; client.waiting.remove()) {
        double missing = Math.min(first.bytes, BURST) - client.available;
        if (!first.future.isDone() && missing > 0) {
          schedule(client, missing);
          break;
        }
        client.available -= first.future.isDone() ? 0 : first.bytes;
        released.add(first);
      }
    }
    released.forEach(chunk -> chunk.future.complete(chunk.bytes)); // outside the lock
  }

  private void schedule(Client client, double missing) {
    if (!client.scheduled) {
      client.scheduled = true;
      long nanos = (long) Math.ceil(missing * 1e9 / BYTES_PER_SECOND);
      var unused = scheduler.schedule(() -> onTime(client), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void onTime(Client client) {
    synchronized (client) {
      client.scheduled = false;
    }
    release(client); // runs the callbacks on the thread of the scheduler
  }

  void onDisconnect(String name) {
    Client client = clients.remove(name);
    if (client != null) {
      List<Chunk> cancelled;
      synchronized (client) {
        cancelled = List.copyOf(client.waiting);
      }
      cancelled.forEach(chunk -> chunk.future.cancel(false));
      release(client);
    }
  }

  // end

  ThrottledUploadByHand(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }
}
