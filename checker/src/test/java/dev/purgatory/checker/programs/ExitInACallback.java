package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import java.time.Duration;

/** System.exit in a callback, while a shutdown hook closes the purgatory: the JVM ends. */
final class ExitInACallback {
  /** The exit code. */
  static final int CODE = 3;

  private static final Duration SOON = Duration.ofMillis(50);

  private ExitInACallback() {}

  /** The argument says which callback exits. */
  public static void main(String[] args) throws InterruptedException {
    Purgatory<String> purgatory = Purgatory.builder("exit", String.class).build();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  purgatory.close();
                  System.out.println("closed");
                }));
    Runnable exit = () -> System.exit(CODE);
    Thread main = Thread.currentThread();
    switch (args[0]) {
      case "timeout" -> {
        var unused =
            purgatory
                .<String>untilCompleted()
                .orTimeout(SOON)
                .hold("key")
                .whenComplete((value, error) -> exit.run());
      }
      case "condition" -> {
        var unused =
            purgatory
                .<String>until(
                    () -> {
                      if (Thread.currentThread() != main) {
                        exit.run();
                      }
                      return null;
                    })
                .orTimeout(SOON)
                .hold("key");
      }
      default -> purgatory.timer().schedule(exit, SOON);
    }
    Thread.sleep(Duration.ofHours(1).toMillis());
  }
}
