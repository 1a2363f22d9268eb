package dev.purgatory.races;

import static dev.purgatory.races.Schedules.PATIENCE_MINUTES;
import static dev.purgatory.races.Schedules.doing;
import static dev.purgatory.races.Schedules.inFraysTime;
import static dev.purgatory.races.Schedules.require;
import static dev.purgatory.races.Schedules.together;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.purgatory.HeldFuture;
import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.Completion;
import dev.purgatory.answers.InMemoryAnswerStore;
import dev.purgatory.answers.SharedReplies;
import dev.purgatory.executor.WheelScheduledExecutor;
import dev.purgatory.netty.WheelTimer;
import dev.purgatory.timer.Timer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** As {@link EssayPrograms}, for the adapters of the timer and for answers across instances. */
final class AdapterPrograms {
  private AdapterPrograms() {}

  /** Returns an executor whose tasks run on the thread that advances the clock. */
  private static WheelScheduledExecutor executor(VirtualPurgatory held) {
    return WheelScheduledExecutor.builder().timer(held.timer).executor(Runnable::run).build();
  }

  /** A task is cancelled while it is due or runs: its thread does not keep the interrupt. */
  static void wheelTaskRunsOrIsCancelled() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> task = executor(held).schedule(runs::incrementAndGet, 1, MILLISECONDS);
    held.reachTimeout();
    String results =
        together(
            () -> task.cancel(true),
            () -> {
              held.timer.advance();
              return Thread.interrupted();
            });
    String end = runs + " " + results;
    require(end, "0 true false", "1 false false", "1 true false"); // the last one while it runs
    require(held.timer.size(), 0);
  }

  /** A task is scheduled, and another one leaves the wheels, while the executor is stopped. */
  static void wheelScheduledExecutorForgetsNoTask() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    WheelScheduledExecutor executor = executor(held);
    AtomicInteger runs = new AtomicInteger();
    var unused = executor.schedule(runs::incrementAndGet, 1, MILLISECONDS);
    held.reachTimeout();
    Queue<Runnable> returned = new ConcurrentLinkedQueue<>();
    String accepted =
        together(
            () -> {
              try {
                return executor.schedule(runs::incrementAndGet, 5, MILLISECONDS) == null ? 0 : 1;
              } catch (RejectedExecutionException e) {
                return 0;
              }
            },
            doing(() -> returned.addAll(executor.shutdownNow())),
            doing(held.timer::advance));
    int tasks = 1 + Integer.parseInt(accepted);
    require(runs.get() + returned.size() + " " + held.timer.size(), tasks + " 0");
    require(executor.isTerminated(), true);
  }

  /** Two threads hand tasks to two workers, of which one sleeps: all run. */
  static void workersTakeEachTask() throws Exception {
    Timer timer = inFraysTime().start("race");
    WheelScheduledExecutor executor =
        WheelScheduledExecutor.builder().timer(timer).threads(2).build();
    AtomicInteger runs = new AtomicInteger();
    Schedules.Call tasks =
        doing(
            () -> {
              executor.execute(runs::incrementAndGet);
              var unused = executor.schedule(runs::incrementAndGet, 1, MILLISECONDS);
            });
    together(tasks, tasks);
    executor.shutdown();
    require(executor.awaitTermination(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    require(runs, 4);
    timer.close();
  }

  /** Netty's timer is stopped while a timeout is created and another one is due. */
  static void nettyTimerReturnsWhatIsLeft() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    WheelTimer timer = new WheelTimer(held.timer);
    AtomicInteger runs = new AtomicInteger();
    var unused = timer.newTimeout(timeout -> runs.incrementAndGet(), 1, MILLISECONDS);
    held.reachTimeout();
    String results =
        together(
            () -> {
              try {
                return timer.newTimeout(timeout -> runs.incrementAndGet(), 5, MILLISECONDS) == null
                    ? 0
                    : 1;
              } catch (IllegalStateException e) {
                return 0;
              }
            },
            () -> timer.stop().size(),
            doing(held.timer::advance));
    List<String> numbers = List.of(results.split(" "));
    int tasks = 1 + Integer.parseInt(numbers.get(0));
    require(runs.get() + Integer.parseInt(numbers.get(1)) + " " + held.timer.size(), tasks + " 0");
  }

  private static SharedReplies<String> replies(VirtualPurgatory held, AnswerStore store) {
    return new SharedReplies<>(
        "race",
        null,
        held.purgatory,
        store,
        text -> text.getBytes(UTF_8),
        bytes -> new String(bytes, UTF_8));
  }

  /** Two answers meet, and a wait that begins: all learn the same one. */
  static void sharedRepliesHaveOneAnswer() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    SharedReplies<String> replies = replies(held, new InMemoryAnswerStore(1));
    String id = replies.ownId("a");
    String learned =
        together(
            () -> text(replies.complete(id, "one").get()),
            () -> text(replies.complete(id, "two").get()),
            () -> replies.await(id, VirtualPurgatory.TIMEOUT).get());
    require(
        learned + " " + held.left(),
        "won one lost one one pending 0 timed 0",
        "lost two won two two pending 0 timed 0");
  }

  private static String text(Completion<String> completion) {
    return (completion.won() ? "won " : "lost ") + completion.answer();
  }

  /** A wait begins while its answer comes and the store is closed: it ends. */
  static void sharedRepliesEndWithTheirStore() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AnswerStore store = new InMemoryAnswerStore(1);
    SharedReplies<String> replies = replies(held, store);
    String id = replies.ownId("a");
    String ends =
        together(
            () -> end(replies.await(id, VirtualPurgatory.TIMEOUT)),
            () -> end(replies.offer(id, "answer").thenApply(none -> "stored")),
            doing(store::close));
    require(
        ends + " " + held.left(),
        "answer stored pending 0 timed 0",
        "IllegalStateException stored pending 0 timed 0",
        "IllegalStateException IllegalStateException pending 0 timed 0");
  }

  /** Returns the answer, or the name of the exception. */
  private static String end(CompletableFuture<String> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      return requireNonNull(e.getCause()).getClass().getSimpleName();
    }
  }

  /** Remembers who follows an id. */
  private static final class Followed implements AnswerStore {
    private final AnswerStore store = new InMemoryAnswerStore(1);
    private volatile CompletableFuture<byte[]> follower = new CompletableFuture<>();

    @Override
    public String newId() {
      return store.newId();
    }

    @Override
    public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
      return store.complete(id, answer);
    }

    @Override
    public CompletableFuture<byte[]> follow(String id) {
      follower = store.follow(id);
      return follower;
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** A client gives up while its time ends and the table is closed: nothing follows its id. */
  static void sharedRepliesForgetWhatHasEnded() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Followed store = new Followed();
    SharedReplies<String> replies = replies(held, store);
    HeldFuture<String> wait = replies.await(replies.ownId("a"), VirtualPurgatory.TIMEOUT);
    held.reachTimeout();
    together(() -> wait.cancel(false), doing(held.timer::advance), doing(replies::close));
    String end = VirtualPurgatory.text(wait.outcome());
    require(end, "cancelled", "timed_out", "closed");
    require(held.left() + " " + store.follower.isDone(), "pending 0 timed 0 true");
  }
}
