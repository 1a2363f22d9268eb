package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Closing an empty table, or an empty purgatory, visits the entries of others on its timer. */
final class EmptyTable {
  /** So few that the timer keeps those that were cancelled. */
  private static final int OTHERS = 900;

  private EmptyTable() {}

  public static void main(String[] args) {
    Timer timer = Timer.builder().ticker(() -> 0).build();
    List<Timeout> others = new ArrayList<>();
    for (int i = 0; i < 2 * OTHERS; i++) {
      others.add(timer.schedule(() -> {}, Duration.ofHours(1)));
    }
    others.subList(0, OTHERS).forEach(Timeout::cancel);
    int before = TimerInternals.of(timer).wheels().retained();
    Replies.builder("empty", Integer.class, String.class).timer(timer).build().close();
    Purgatory.builder("empty", String.class).timer(timer).build().close();
    int visited = before - TimerInternals.of(timer).wheels().retained();
    System.out.println(
        "cancelled entries of others: " + (before - timer.size()) + ", visited: " + visited);
  }
}
