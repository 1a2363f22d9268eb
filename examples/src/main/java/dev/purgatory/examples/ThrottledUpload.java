package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** Throttled uploads: each client may send a number of bytes per second, and short bursts. */
public final class ThrottledUpload implements AutoCloseable {
  private final Timer timer;

  // sample: throttle
  private final Purgatory<String> uploads;
  private final Throttles<String> throttles;

  /** Completes when the client may send that many bytes. */
  HeldFuture<Long> upload(String client, long bytes) {
    return throttles.acquire(client, bytes, Duration.ofSeconds(30));
  }

  void onDisconnect(String client) {
    uploads.cancelForKey(client); // its requests give their place and their quota back
  }

  // end

  ThrottledUpload(Timer timer, Rate rate) {
    this.timer = timer;
    uploads = Purgatory.builder("uploads", String.class).timer(timer).build();
    throttles = new Throttles<>(uploads, timer, rate);
  }

  // sample: throttle-rates
  void onPlanChanged(String client, long bytesPerSecond) {
    throttles.rate(client, new Rate(bytesPerSecond, Duration.ofSeconds(1), 2 * bytesPerSecond));
  }

  void onMaintenance() {
    throttles.rate(Rate.paused());
  }

  // end

  // sample: throttle-charge
  CompletableFuture<String> answer(String client, String response) {
    throttles.charge(client, response.length());
    return throttles.acquire(client, 0).thenApply(none -> response);
  }

  // end

  int waiting(String client) {
    return throttles.waiting(client);
  }

  long available(String client) {
    return throttles.available(client);
  }

  @Override
  public void close() {
    uploads.close();
    timer.close();
  }

  /** Two clients upload three chunks each; one of them disconnects while it waits. */
  public static void main(String... args) {
    Rate rate = new Rate(4_000, Duration.ofSeconds(1), 1_000);
    try (ThrottledUpload server = new ThrottledUpload(Timer.builder().start("clock"), rate)) {
      List<HeldFuture<Long>> alice = new ArrayList<>();
      List<HeldFuture<Long>> bob = new ArrayList<>();
      for (int chunk = 0; chunk < 3; chunk++) {
        alice.add(server.upload("alice", 1_000));
        bob.add(server.upload("bob", 1_000));
      }
      System.out.println("bob: " + server.waiting("bob") + " chunks wait");
      server.onDisconnect("bob");
      System.out.println("bob: " + server.waiting("bob") + " chunks wait");
      try {
        bob.get(2).join();
      } catch (CancellationException e) {
        System.out.println("bob: cancelled");
      }
      System.out.println("alice: " + alice.get(2).join() + " bytes");
    }
  }
}
