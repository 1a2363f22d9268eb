package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Takes turns, one after the other, since two at once would disturb each other. */
public final class Turns {
  private Turns() {}

  /**
   * What is done in a turn.
   *
   * @param <T> the turns
   * @param <X> what ends the whole run
   */
  @FunctionalInterface
  public interface Work<T extends Turn, X extends Exception> {

    /** Measures, and returns what was measured, in the order in which it is told. */
    List<Sample> measure(T turn) throws X, InterruptedException;
  }

  /**
   * Turns that are compared with each other.
   *
   * @param <T> the turns
   * @param turns one for each contender
   * @param rounds how often all of them are taken
   */
  public record Group<T extends Turn>(List<T> turns, int rounds) {
    /** Copies the list. */
    public Group {
      turns = List.copyOf(turns);
    }
  }

  /**
   * Puts the turns of groups into rounds. There are as many rounds as the most frequent group
   * needs; one that needs fewer is spread evenly over them. Within a group, the order is drawn for
   * each round, so that a machine that gets slower or faster meanwhile favours no contender.
   *
   * @param seed the same seed gives the same order
   * @return all turns, in their order
   */
  public static <T extends Turn> List<T> inRounds(List<Group<T>> groups, long seed) {
    Random random = new Random(seed);
    int rounds = groups.stream().mapToInt(Group::rounds).max().orElse(0);
    List<T> all = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      for (Group<T> group : groups) {
        if (round * group.rounds() % rounds < group.rounds()) {
          List<T> shuffled = new ArrayList<>(group.turns());
          Collections.shuffle(shuffled, random);
          all.addAll(shuffled);
        }
      }
    }
    return all;
  }

  /**
   * Takes turns.
   *
   * @param turns in their order
   * @param progress is told before each, and when all is done
   * @param work what is done in each
   * @return what was measured: one row for all turns that have measured the same, in the order in
   *     which that was first measured
   * @throws X when the work does
   * @throws InterruptedException when the work does
   */
  public static <T extends Turn, X extends Exception> List<Row> take(
      List<T> turns, Progress progress, Work<T, X> work) throws X, InterruptedException {
    Table table = new Table();
    long start = System.nanoTime();
    for (int done = 0; done < turns.size(); done++) {
      T turn = turns.get(done);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      progress.advanced(done, turns.size(), turn.title(), left(turns, done, elapsed));
      work.measure(turn).forEach(sample -> table.add(turn, sample));
    }
    progress.advanced(turns.size(), turns.size(), "", Duration.ZERO);
    return table.rows();
  }

  /** As much longer or shorter than expected as what is done has been. */
  static Duration left(List<? extends Turn> turns, int done, Duration elapsed) {
    long past = expected(turns.subList(0, done)).toMillis();
    long next = expected(turns.subList(done, turns.size())).toMillis();
    return Duration.ofMillis(past == 0 ? next : next * elapsed.toMillis() / past);
  }

  /** Returns how long turns take together, about. */
  public static Duration expected(List<? extends Turn> turns) {
    return turns.stream().map(Turn::expected).reduce(Duration.ZERO, Duration::plus);
  }
}
