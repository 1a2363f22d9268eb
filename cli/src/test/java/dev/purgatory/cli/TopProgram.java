package dev.purgatory.cli;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A program with two purgatories, for {@link TopCommandTest}. Ends when its input does. */
final class TopProgram {
  private TopProgram() {}

  public static void main(String[] args) throws Exception {
    try (Purgatory<String> polls = Purgatory.builder("polls", String.class).mxBean().build();
        Purgatory<String> idle =
            Purgatory.builder("idle \u001b[31mones\n", String.class).mxBean().build()) {
      for (int i = 0; i < 3; i++) {
        var unused = polls.untilCompleted().forever().hold("key");
      }
      CountDownLatch ready = new CountDownLatch(50); // rates are not 0 from the start
      Thread load =
          new Thread(
              () -> {
                while (!Thread.currentThread().isInterrupted()) {
                  var completed = polls.<String>untilCompleted().forever().hold("other");
                  completed.complete("x");
                  polls
                      .<String>untilCompleted()
                      .orAfter(Duration.ofMillis(5), () -> "late")
                      .hold("other")
                      .join();
                  ready.countDown();
                }
              });
      load.setDaemon(true);
      load.start();
      ready.await();
      System.out.println("ready, " + idle.pending() + " held by the idle purgatory");
      while (System.in.read() >= 0) {
        // waits for the end of the input
      }
      System.exit(0); // without the exceptions of the load
    }
  }
}
