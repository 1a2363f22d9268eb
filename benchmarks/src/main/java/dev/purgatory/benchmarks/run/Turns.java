package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Runs turns one after the other, since concurrent turns would disturb each other. */
public final class Turns {
  private Turns() {}

  /**
   * The work of a turn.
   *
   * @param <T> the type of the turns
   * @param <X> the exception that ends the whole run
   */
  @FunctionalInterface
  public interface Work<T extends Turn, X extends Exception> {

    /** Measures and returns samples, in order of presentation. */
    List<Sample> measure(T turn) throws X, InterruptedException;
  }

  /**
   * Turns that are compared with each other.
   *
   * @param <T> the type of the turns
   * @param turns one turn for each contender
   * @param rounds the number of rounds in which all of them run
   */
  public record Group<T extends Turn>(List<T> turns, int rounds) {
    /** Copies the list. */
    public Group {
      turns = List.copyOf(turns);
    }
  }

  /**
   * Arranges groups of turns in rounds. The group with the most rounds determines their number;
   * other groups are spread evenly over them. Within a group, the order is random in each round, so
   * that no contender benefits if the machine becomes faster or slower.
   *
   * @param seed the seed of the random order
   * @return all turns, in order
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
   * Runs turns.
   *
   * @param turns the turns, in order
   * @param progress receives the progress before each turn and at the end
   * @param work the work of each turn
   * @return the measured values; samples of the same metric, contender and configuration form one
   *     row
   * @throws X if the work throws it
   * @throws InterruptedException if the work throws it
   */
  public static <T extends Turn, X extends Exception> List<Row> take(
      List<T> turns, Progress progress, Work<T, X> work) throws X, InterruptedException {
    Map<Cell, List<Double>> cells = new LinkedHashMap<>();
    long start = System.nanoTime();
    for (int done = 0; done < turns.size(); done++) {
      T turn = turns.get(done);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      progress.advanced(done, turns.size(), turn.title(), left(turns, done, elapsed));
      for (Sample sample : work.measure(turn)) {
        cells.computeIfAbsent(Cell.of(turn, sample), cell -> new ArrayList<>()).add(sample.value());
      }
    }
    progress.advanced(turns.size(), turns.size(), "", Duration.ZERO);
    return cells.entrySet().stream().map(cell -> cell.getKey().row(cell.getValue())).toList();
  }

  /** Estimates the remaining time from the deviation of the past turns from expectation. */
  static Duration left(List<? extends Turn> turns, int done, Duration elapsed) {
    long past = expected(turns.subList(0, done)).toMillis();
    long next = expected(turns.subList(done, turns.size())).toMillis();
    return Duration.ofMillis(past == 0 ? next : next * elapsed.toMillis() / past);
  }

  /** Returns the total expected time of turns. */
  public static Duration expected(List<? extends Turn> turns) {
    return turns.stream().map(Turn::expected).reduce(Duration.ZERO, Duration::plus);
  }

  /** Identifies the samples that belong to the same row. */
  private record Cell(
      String bench,
      String contender,
      Map<String, String> params,
      String metric,
      String unit,
      boolean higherIsBetter) {

    static Cell of(Turn turn, Sample sample) {
      Map<String, String> params = new LinkedHashMap<>(sample.params());
      params.putAll(turn.params());
      return new Cell(
          turn.bench(),
          turn.contender(),
          params,
          sample.metric(),
          sample.unit(),
          sample.higherIsBetter());
    }

    Row row(List<Double> values) {
      return new Row(bench, contender, params, metric, unit, higherIsBetter, values);
    }
  }
}
