package dev.purgatory.examples;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the keys that somebody changes without a signal, and tells why a request waits. */
public final class Diagnosed implements AutoCloseable {

  // sample: diagnostics
  private final Diagnostics diagnostics = new Diagnostics();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class).diagnostics(diagnostics).build();

  void report() {
    System.out.println("held: " + diagnostics.heldNanos(Outcome.COMPLETED));
    System.out.println("checks: " + diagnostics.checksPerCompletion());
    System.out.println("never signalled: " + diagnostics.missedSignals());
    System.out.println("busiest: " + polls.inspect().snapshot(3).busiest());
  }

  String whyDoesItWait(HeldFuture<?> request) {
    return diagnostics.explain(request);
  }

  // end

  // sample: story
  /** Logs what happens to a request, to its end. */
  void follow(HeldFuture<?> request, Consumer<String> log) {
    diagnostics.addObserver(
        new Diagnostics.Observer() {
          @Override
          public void onChecked(
              Object checked, @Nullable Object reason, boolean ready, @Nullable Throwable error) {
            if (checked == request) {
              log.accept((ready ? "ready" : "not ready") + ", for " + reason);
            }
          }

          @Override
          public void onEnded(
              Object ended, Outcome outcome, @Nullable Throwable cause, long held, long late) {
            if (ended == request) {
              log.accept(outcome + " after " + Duration.ofNanos(held));
              diagnostics.removeObserver(this);
            }
          }
        });
  }

  // end

  // sample: listener
  /** Logs how long requests were held, and what the code around them throws. */
  static final class RequestLog implements PurgatoryListener {
    private final Consumer<String> log;

    RequestLog(Consumer<String> log) {
      this.log = log;
    }

    @Override
    public void onEnded(
        Object request,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      log.accept(request + " was held for " + Duration.ofNanos(heldNanos));
    }

    @Override
    public void onError(Object request, Source source, Throwable error) {
      log.accept(source + " threw for " + request + ": " + error);
    }
  }

  static Purgatory<String> logged(Consumer<String> log) {
    return Purgatory.builder("polls", String.class).listener(new RequestLog(log)).build();
  }

  // end

  private final Map<String, String> values = new ConcurrentHashMap<>();

  HeldFuture<String> poll(String key, Duration timeout) {
    return polls.until(() -> values.get(key)).orTimeout(timeout).hold(key);
  }

  void put(String key, String value) {
    values.put(key, value);
    polls.signal(key);
  }

  /** The mistake that the diagnostics find: nobody signals the key. */
  void putAndForget(String key, String value) {
    values.put(key, value);
  }

  Diagnostics diagnostics() {
    return diagnostics;
  }

  @Override
  public void close() {
    polls.close();
  }

  /** Forgets a signal, and reports it. */
  public static void main(String... args) {
    try (Diagnosed server = new Diagnosed()) {
      HeldFuture<String> first = server.poll("a", Duration.ofMillis(50));
      server.putAndForget("a", "x");
      first.join();
      System.out.println("never signalled: " + server.diagnostics().missedSignals());
    }
  }
}
