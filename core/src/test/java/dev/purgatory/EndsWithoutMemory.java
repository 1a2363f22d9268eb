package dev.purgatory;

import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends futures in each way while there is no memory, and then checks, with memory again, that those
 * whose request has ended are complete, and that the others can still be ended. The exit status is
 * 1 if not.
 */
@SuppressWarnings("SystemExitOutsideMain") // run in a JVM of its own
final class EndsWithoutMemory {
  private static final Duration LIMIT = Duration.ofSeconds(1);

  @SuppressWarnings("UnusedVariable") // they only fill the heap
  private static final class Link {
    private final @Nullable Link next;
    private final byte[] weight;

    Link(@Nullable Link next, int weight) {
      this.next = next;
      this.weight = new byte[weight];
    }
  }

  /** Ends a request. */
  private interface End {
    void end(HeldFuture<String> future, int key, Scope scope);
  }

  private static @Nullable Link chain;

  private long now;
  private final Timer timer = Timer.builder().ticker(() -> now).errorHandler(e -> {}).build();
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("memory", Integer.class)
          .timer(timer)
          .listener(new PurgatoryListener() {})
          .build();
  private final IOException failure = new IOException("expected");
  private final List<End> ends =
      List.of(
          (future, key, scope) -> future.cancel(false),
          (future, key, scope) -> future.complete("x"),
          (future, key, scope) -> future.completeExceptionally(failure),
          (future, key, scope) -> WatchListsView.completeForKey(purgatory, key, "x"),
          (future, key, scope) -> purgatory.failForKey(key, failure),
          (future, key, scope) -> purgatory.cancelForKey(key),
          (future, key, scope) -> scope.close(),
          (future, key, scope) -> scope.fail(failure),
          (future, key, scope) -> {
            now += LIMIT.toNanos();
            int unused = timer.advance();
          });

  private EndsWithoutMemory() {}

  public static void main(String[] args) throws Exception {
    EndsWithoutMemory run = new EndsWithoutMemory();
    int failures = 0;
    for (int round = 0; round < Integer.parseInt(args[0]); round++) {
      for (int end = 0; end < run.ends.size(); end++) {
        failures += run.isLost(round, end) ? 1 : 0;
      }
    }
    System.exit(failures == 0 ? 0 : 1);
  }

  private boolean isLost(int round, int end) throws Exception {
    Scope scope = Scope.of("scope");
    HeldFuture<String> future =
        purgatory.<String>untilCompleted().inScope(scope).orTimeout(LIMIT).hold(end);
    boolean thrown = false;
    if (round > 0) { // the first round initializes classes
      fill();
    }
    try {
      ends.get(end).end(future, end, scope);
    } catch (OutOfMemoryError e) {
      thrown = true;
    }
    chain = null;
    if (future.outcome() == null) {
      boolean ended = future.completeExceptionally(new CancellationException());
      assert ended : future;
    }
    try {
      boolean value = future.handle((done, error) -> true).get(20, TimeUnit.SECONDS);
      return !value;
    } catch (java.util.concurrent.TimeoutException e) {
      System.out.println("round " + round + ", end " + end + ", threw " + thrown + ": " + future);
      return true;
    }
  }

  /** Fills the heap to the last object. */
  private static void fill() {
    for (int weight = 1 << 16; ; weight /= 4) {
      try {
        for (; ; ) {
          chain = new Link(chain, weight);
        }
      } catch (OutOfMemoryError e) {
        if (weight == 0) {
          return;
        }
      }
    }
  }
}
