package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ScenarioTest {
  private static List<Map<String, Object>> steps = List.of();

  @BeforeAll
  static void play() throws Exception {
    steps = maps(JSON.std.mapFrom(Scenario.play()), "steps");
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> maps(Map<String, Object> of, String name) {
    return (List<Map<String, Object>>) requireNonNull(of.get(name));
  }

  private static long number(Map<String, Object> of, String name) {
    return ((Number) requireNonNull(of.get(name))).longValue();
  }

  /** Returns where each task is: "level 2 from 8", or how it ended. */
  private static Map<String, String> places(Map<String, Object> step) {
    Map<String, String> places = new TreeMap<>();
    for (Map<String, Object> task : maps(step, "tasks")) {
      String end =
          task.get("state")
              + (task.containsKey("atMillis") ? " at " + number(task, "atMillis") : "");
      places.put((String) task.get("name"), end);
    }
    for (Map<String, Object> level : maps(step, "levels")) {
      for (Map<String, Object> bucket : maps(level, "buckets")) {
        String place = "level " + level.get("level") + " from " + number(bucket, "startMillis");
        ((List<?>) requireNonNull(bucket.get("tasks")))
            .forEach(task -> assertThat(places.put((String) task, place)).isEqualTo("waits"));
      }
    }
    return places;
  }

  /** The wheels of the proposal, in milliseconds: n buckets per level, moved when they start. */
  private static final class Proposal {
    private static final int N = 4;

    private record Place(int level, long start) {
      @Override
      public String toString() {
        return "level " + level + " from " + start;
      }
    }

    private final Map<String, Place> waiting = new TreeMap<>();
    private final Map<String, String> ended = new TreeMap<>();
    private long clock;

    void add(String task, long due) {
      if (due <= clock) {
        waiting.remove(task);
        ended.put(task, "expired at " + clock);
        return;
      }
      int level = 1;
      long span = 1;
      while (due >= clock / span * span + N * span) {
        level++;
        span *= N;
      }
      waiting.put(task, new Place(level, due / span * span));
    }

    void stop(String task) {
      waiting.remove(task);
      ended.put(task, "stopped at " + clock);
    }

    void advance(long time, Map<String, Long> due) {
      while (clock < time) {
        clock++;
        List.copyOf(waiting.keySet()).stream()
            .filter(task -> requireNonNull(waiting.get(task)).start <= clock)
            .forEach(task -> add(task, requireNonNull(due.get(task))));
      }
    }

    Map<String, String> places() {
      Map<String, String> places = new TreeMap<>(ended);
      waiting.forEach((task, place) -> places.put(task, place.toString()));
      return places;
    }
  }

  /**
   * The library does not move few entries to finer buckets, and runs what is due at once with the
   * clock. In all other steps, each task is where the proposal puts it.
   */
  @Test
  void tasks_areWhereTheProposalPutsThem() {
    Proposal proposal = new Proposal();
    Map<String, Long> due = new TreeMap<>();
    List<String> different = new ArrayList<>();
    for (Map<String, Object> step : steps) {
      String title = (String) requireNonNull(step.get("title"));
      proposal.advance(number(step, "nowMillis"), due);
      for (Map<String, Object> task : maps(step, "tasks")) {
        String name = (String) requireNonNull(task.get("name"));
        if (due.putIfAbsent(name, number(task, "dueMillis")) == null) {
          proposal.add(name, number(task, "dueMillis"));
        }
      }
      if (title.startsWith("Stop ")) {
        proposal.stop(title.substring("Stop ".length()));
      }
      if (!places(step).equals(proposal.places())) {
        different.add(title);
      }
    }
    assertThat(different)
        .containsExactly(
            "Add G, to run in 0 ms",
            "The clock advances to 8 ms",
            "The clock advances to 9 ms",
            "Add H, to run in 3 ms",
            "The clock advances to 32 ms");
    assertThat(places(steps.get(steps.size() - 1)))
        .isEqualTo(proposal.places())
        .hasToString(
            "{A=expired at 1, B=expired at 3, C=expired at 9, D=expired at 11, E=stopped at 0, "
                + "F=expired at 45, G=expired at 0, H=expired at 12}");
  }

  /** The texts say which buckets tasks are in. */
  @Test
  void wheels_haveTheSizesOfTheTexts() {
    assertThat(steps.get(0)).containsEntry("levels", List.of());
    Map<String, Object> filled = steps.get(6);
    assertThat(maps(filled, "levels"))
        .extracting(level -> level.get("wheelSize") + ": " + level.get("bucketMillis"))
        .containsExactly("4: 1.0", "4: 4.0", "4: 16.0");
    assertThat(maps(filled, "levels")).extracting(level -> level.get("arcs")).containsOnly(8);
    assertThat(places(filled).values())
        .contains("level 1 from 3", "level 2 from 8", "level 2 from 12", "level 3 from 32");
  }

  /** The clock never passes a time at which it would have woken up. */
  @Test
  void clock_goesFromOneWakeUpToTheNext() {
    for (int i = 1; i < steps.size(); i++) {
      Object wakeUp = steps.get(i - 1).get("nextDueMillis");
      if (wakeUp != null) {
        assertThat(number(steps.get(i), "nowMillis"))
            .as("step %s", i)
            .isLessThanOrEqualTo(((Number) wakeUp).longValue());
      }
    }
    assertThat(steps.get(steps.size() - 1)).doesNotContainKey("nextDueMillis");
  }
}
