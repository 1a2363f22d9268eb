package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import dev.purgatory.executor.WheelScheduledExecutor;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Whose identity, in an inheritable thread-local, do the callbacks of a user's requests have? */
final class InheritedLocals {
  private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();
  private static final Duration SOON = Duration.ofMillis(5);

  private InheritedLocals() {}

  private static <T> T as(String user, Callable<T> code) throws Exception {
    FutureTask<T> task = new FutureTask<>(code);
    Thread thread =
        new Thread(
            () -> {
              USER.set(user);
              task.run();
            });
    thread.start();
    return task.get();
  }

  /** Alice makes the threads that Bob's callbacks run on. */
  public static void main(String[] args) throws Exception {
    List<String> seen = new ArrayList<>();
    Timer timer = as("alice", () -> Timer.builder().start("clock"));
    Purgatory<String> purgatory =
        as("alice", () -> Purgatory.builder("users", String.class).timer(timer).build());
    for (String user : List.of("alice", "bob")) {
      CompletableFuture<String> answer = new CompletableFuture<>();
      var unused =
          as(
              user,
              () ->
                  purgatory
                      .<String>untilCompleted()
                      .orTimeout(SOON)
                      .hold("key")
                      .whenComplete((value, error) -> answer.complete("" + USER.get())));
      seen.add(answer.get());
      CompletableFuture<String> task = new CompletableFuture<>();
      var unusedTask = as(user, () -> timer.schedule(() -> task.complete("" + USER.get()), SOON));
      seen.add(task.get());
    }
    CompletableFuture<String> end = new CompletableFuture<>();
    Sessions<String, String> sessions =
        new Sessions<>(timer, SOON, each -> end.complete("" + USER.get()));
    var unusedSession = as("bob", () -> sessions.open("key", "owner"));
    seen.add(end.get());
    ScheduledExecutorService executor =
        as("alice", () -> WheelScheduledExecutor.builder().executor(Runnable::run).build());
    for (String user : List.of("alice", "bob")) {
      CompletableFuture<String> run = new CompletableFuture<>();
      var unused =
          as(
              user,
              () ->
                  executor.schedule(() -> run.complete("" + USER.get()), 5, TimeUnit.MILLISECONDS));
      seen.add(run.get());
    }
    long foreign = seen.stream().filter(each -> !each.equals("null")).count();
    System.out.println("callbacks with an identity: " + foreign + " of " + seen.size());
  }
}
