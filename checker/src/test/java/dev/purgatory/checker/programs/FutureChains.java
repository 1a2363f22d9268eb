package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.WatchListsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Chains of futures of which each ends the next one from a dependent: by each verb. */
final class FutureChains {
  private static final int LENGTH = 10_000;

  private final Purgatory<Integer> purgatory = Purgatory.builder("chains", Integer.class).build();
  private final Replies<Integer, String> replies =
      Replies.builder("replies", Integer.class, String.class).build();

  /** A future, and how the one before ends it. */
  private record Link(CompletableFuture<?> future, Runnable end) {}

  private enum Verb {
    COMPLETE,
    FAIL,
    CANCEL,
    COMPLETE_FOR_KEY,
    SIGNAL,
    CLOSE_SCOPE,
    REPLY,
    TIMED_STAGE,
    ASYNC_STAGE
  }

  public static void main(String[] args) throws InterruptedException {
    List<Verb> broken = new ArrayList<>();
    for (Verb verb : Verb.values()) {
      if (!new FutureChains().ends(verb)) {
        broken.add(verb);
      }
    }
    System.out.println("verbs whose chain breaks: " + broken);
  }

  private boolean ends(Verb verb) throws InterruptedException {
    List<Link> chain = new ArrayList<>();
    for (int i = 0; i < LENGTH; i++) {
      Link link = link(verb, i);
      int next = i + 1;
      CompletableFuture<?> unused =
          link.future.whenComplete(
              (value, error) -> {
                if (next < LENGTH) {
                  chain.get(next).end.run();
                }
              });
      chain.add(link);
    }
    chain.get(0).end.run();
    return Wait.until(() -> chain.get(LENGTH - 1).future.isDone());
  }

  private Link link(Verb verb, int number) {
    var held = purgatory.<String>untilCompleted();
    return switch (verb) {
      case COMPLETE -> {
        var future = held.forever().hold(number);
        yield new Link(future, () -> future.complete(""));
      }
      case FAIL -> {
        var future = held.forever().hold(number);
        yield new Link(future, () -> future.completeExceptionally(new IllegalStateException()));
      }
      case CANCEL -> {
        var future = held.forever().hold(number);
        yield new Link(future, () -> future.cancel(false));
      }
      case COMPLETE_FOR_KEY ->
          new Link(
              held.forever().hold(number),
              () -> WatchListsView.completeForKey(purgatory, number, ""));
      case SIGNAL ->
          new Link(
              purgatory
                  .<String>untilSignalled(reason -> reason == null ? null : "")
                  .forever()
                  .hold(number),
              () -> purgatory.signal(number, "now"));
      case CLOSE_SCOPE -> {
        Scope scope = Scope.of("link");
        yield new Link(held.inScope(scope).forever().hold(number), scope::close);
      }
      case REPLY ->
          new Link(replies.expect(number, Duration.ofHours(1)), () -> replies.complete(number, ""));
      case TIMED_STAGE -> {
        CompletableFuture<String> stage = new CompletableFuture<>();
        yield new Link(purgatory.timeout(stage, Duration.ofHours(1)), () -> stage.complete(""));
      }
      case ASYNC_STAGE -> {
        CompletableFuture<String> stage = new CompletableFuture<>();
        yield new Link(
            purgatory.untilAsync(() -> stage).forever().hold(number), () -> stage.complete(""));
      }
    };
  }
}
