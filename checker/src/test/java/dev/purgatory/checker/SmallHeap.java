package dev.purgatory.checker;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Repeatedly uses a purgatory and sessions while almost no memory is free, and checks the
 * operations, the futures and the sessions when memory is free again. Prints how many calls failed
 * with an {@link OutOfMemoryError}.
 */
final class SmallHeap {
  /** Rounds that load all classes: a class that cannot be initialized is never tried again. */
  private static final int WARM_UP = 80;

  private static final int OPERATIONS = 100;
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final int BLOCK = 1024;
  private static final int MOST_BLOCKS_LEFT = 30;
  private static final List<String> KEYS = List.of("a", "b", "c");

  private final SplittableRandom random = new SplittableRandom(1);
  private final ArrayDeque<byte[]> ballast = new ArrayDeque<>(200_000);
  private final Operation[] operations = new Operation[OPERATIONS];
  private final @Nullable HeldFuture<String>[] futures = futures();
  private final int[] opened = new int[OPERATIONS];
  private final int[] told = new int[OPERATIONS];
  private final Integer[] ids = new Integer[OPERATIONS];
  private long now;
  private int lacking;
  private final Timer timer = Timer.builder().ticker(() -> now).build();
  private final Purgatory<String> purgatory =
      Purgatory.builder("small", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .listener(new Silence())
          .build();
  private final Sessions<Integer, String> sessions =
      new Sessions<>(timer, Duration.ofMillis(50), end -> told[end.key()]++, Runnable::run);
  private final TimerCheck timerCheck = new TimerCheck(timer);
  private final WatchListsCheck listsCheck = new WatchListsCheck(purgatory);

  private SmallHeap() {
    for (int i = 0; i < OPERATIONS; i++) {
      ids[i] = i;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array
  private static @Nullable HeldFuture<String>[] futures() {
    return new HeldFuture[OPERATIONS];
  }

  /** The argument is the number of rounds in which memory is scarce. */
  public static void main(String[] args) {
    SmallHeap heap = new SmallHeap();
    for (int round = -WARM_UP; round < Integer.parseInt(args[0]); round++) {
      heap.round(round >= 0);
    }
    System.out.println(heap.lacking);
  }

  private void round(boolean scarce) {
    for (int i = 0; i < OPERATIONS; i++) {
      operations[i] = new Operation(random.nextInt(100));
    }
    if (scarce) {
      fill();
    }
    for (int i = 0; i < OPERATIONS; i++) {
      use(i);
    }
    ballast.clear();
    verify();
  }

  private void fill() {
    try {
      while (true) {
        ballast.add(new byte[BLOCK]);
      }
    } catch (OutOfMemoryError e) {
      for (int i = random.nextInt(MOST_BLOCKS_LEFT); i > 0; i--) {
        ballast.poll();
      }
    }
  }

  private void use(int number) {
    Operation operation = operations[number];
    try {
      operation.handedIn = true;
      purgatory.hold(operation, KEYS);
    } catch (OutOfMemoryError e) {
      operation.refused = true;
      lacking++;
    }
    try {
      futures[number] = purgatory.<String>untilCompleted().orTimeout(SHORT).hold("b");
    } catch (OutOfMemoryError e) {
      lacking++;
    }
    try {
      if (sessions.tryOpen(ids[number], "owner") != null) {
        opened[number]++;
      }
    } catch (OutOfMemoryError e) {
      lacking++;
    }
    try {
      disturb(random.nextInt(OPERATIONS));
    } catch (OutOfMemoryError e) {
      lacking++;
    }
  }

  private void disturb(int number) {
    Operation operation = operations[number];
    HeldFuture<String> future = futures[number];
    Session<Integer, String> session = sessions.get(ids[number]);
    switch (random.nextInt(12)) {
      case 0 -> operation.complete();
      case 1 -> operation.cancel();
      case 2 -> operation.answerable = true;
      case 6, 7 -> end(future);
      case 8 -> {
        if (session != null) {
          session.close();
        }
      }
      case 3, 4 -> purgatory.signal("b");
      case 5 -> {
        now += TimeUnit.MILLISECONDS.toNanos(random.nextInt(20));
        timer.advance();
      }
      default -> {}
    }
  }

  private void end(@Nullable HeldFuture<String> future) {
    if (future != null) {
      boolean unused = random.nextBoolean() ? future.cancel(false) : future.complete("");
    }
  }

  private void verify() {
    int held = 0;
    for (HeldFuture<String> future : futures) {
      held += future != null && future.outcome() == null ? 1 : 0;
    }
    for (Operation operation : operations) {
      if (operation.refused && !operation.hasEnded()) {
        purgatory.hold(operation, KEYS); // refused unchanged, so it can be added again
      }
      held += operation.handedIn && !operation.hasEnded() ? 1 : 0;
    }
    require(purgatory.pending() == held, purgatory.pending() + " pending, " + held + " held");
    now += Duration.ofSeconds(1).toNanos();
    timer.advance();
    Set<Object> scheduled = timerCheck.operations();
    require(scheduled.isEmpty(), scheduled + " are left in the timer");
    listsCheck.awaitPurge();
    Map<Object, List<Object>> watched = listsCheck.operations();
    require(watched.isEmpty(), watched + " are left on lists");
    for (Operation operation : operations) {
      require(operation.hasEnded(), operation + " has not ended although it is due");
      require(operation.answers == 1, operation + " was answered " + operation.answers + " times");
    }
    for (HeldFuture<String> future : futures) {
      if (future != null) {
        require(future.outcome() != null, future + " has not ended although it is due");
        Patience.await(
            () -> isDone(future), () -> new Finding(Invariant.ONCE, future + " is not done"));
      }
    }
    Arrays.fill(futures, null);
    require(sessions.size() == 0, sessions.size() + " sessions are open although they are due");
    for (int i = 0; i < OPERATIONS; i++) {
      require(told[i] == opened[i], told[i] + " ends are told of " + opened[i] + " sessions");
    }
    require(
        purgatory.pending() == 0 && timer.size() == 0, purgatory + " or the timer is not empty");
  }

  /** An answer that has failed for want of memory is given again when another future ends. */
  private boolean isDone(HeldFuture<String> future) {
    if (!future.isDone()) {
      purgatory.<String>untilCompleted().orTimeout(SHORT).hold("b").cancel(false);
      now += TimeUnit.SECONDS.toNanos(1);
      timer.advance();
    }
    return future.isDone();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  private static final class Operation extends DelayedOperation {
    boolean answerable;
    boolean handedIn;
    boolean refused;
    int answers;

    Operation(long timeoutMillis) {
      super(Duration.ofMillis(timeoutMillis));
    }

    boolean hasEnded() {
      return outcome() != null;
    }

    @Override
    protected boolean isReady() {
      return answerable;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers++;
    }
  }

  /** Ignores errors: they are expected, and printing them takes memory. */
  private static final class Silence implements PurgatoryListener {
    private @Nullable Throwable last;

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      last = error;
    }

    @Override
    public String toString() {
      return "last: " + last;
    }
  }
}
