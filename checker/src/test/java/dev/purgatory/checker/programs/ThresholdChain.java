package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Conditions of which each advances the threshold of the next one nest without a bound. */
final class ThresholdChain {
  private static final int LENGTH = 200_000;

  private ThresholdChain() {}

  public static void main(String[] args) throws InterruptedException {
    Purgatory<Integer> purgatory = Purgatory.builder("chain", Integer.class).build();
    Thresholds<Integer> thresholds = new Thresholds<>(purgatory);
    boolean[] ready = new boolean[LENGTH + 1];
    List<HeldFuture<Integer>> futures = new ArrayList<>();
    for (int i = 0; i < LENGTH; i++) {
      int number = i;
      futures.add(
          purgatory
              .<Integer>until(
                  () -> {
                    if (!ready[number]) {
                      return null;
                    }
                    ready[number + 1] = true;
                    int unused = thresholds.advance(number + 1, 1);
                    return number;
                  })
              .reaching(thresholds, number, 1L)
              .forever()
              .hold());
    }
    ready[0] = true;
    int unused = thresholds.advance(0, 1);
    boolean done = Wait.until(() -> purgatory.pending() == 0);
    long failed = futures.stream().filter(CompletableFuture::isCompletedExceptionally).count();
    System.out.println("all ended: " + done + ", failed: " + failed);
  }
}
