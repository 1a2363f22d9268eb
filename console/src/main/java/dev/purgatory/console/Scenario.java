package dev.purgatory.console;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The explanation of hierarchical timing wheels in Kafka's redesign proposal, as what happens in a
 * timer of this library, in virtual time.
 */
final class Scenario {

  /*
   * Each step does one thing with the timer, and then reads its wheels: which buckets there are, and which
   * tasks are in them, is never computed here. What the texts say about the proposal is compared with the
   * wheels by a test.
   */

  private long millis;
  private final Timer timer =
      Timer.builder()
          .ticker(() -> TimeUnit.MILLISECONDS.toNanos(millis))
          .tick(Duration.ofMillis(1))
          .wheelSize(3) // as in the proposal; it becomes 4
          .build();

  private final Map<Timeout, String> names = new HashMap<>();
  private final Map<String, Map<String, Object>> states = new TreeMap<>();
  private final List<Map<String, Object>> steps = new ArrayList<>();

  private Scenario() {}

  /** Returns the steps, each with the state after it, as JSON in UTF-8. */
  static byte[] play() throws IOException {
    Scenario scenario = new Scenario();
    scenario.insert();
    scenario.tick();
    scenario.overflow();
    return JSON.std.asBytes(Map.of("steps", scenario.steps));
  }

  /** Adds tasks to all levels, and stops one. */
  private void insert() {
    step(
        "A timer without tasks",
        "A wheel is a circular list of n buckets, each for one unit of time u. Here, u is 1 ms and n is 4. The "
            + "buckets of level 2 span n · u = 4 ms, those of level 3 span 16 ms. Upper wheels are created on "
            + "demand: there is none yet.");
    add(
        "A",
        1,
        "1 ms is within the n · u = 4 ms of level 1: the bucket for 1 ms takes the task. That is one step, "
            + "however many tasks there are.");
    add("B", 3, "3 ms is also within level 1.");
    add(
        "C",
        9,
        "9 ms is out of the interval of level 1: an overflow, which is delegated to the wheel one level higher. "
            + "Its bucket from 8 to 11 ms takes the task.");
    add(
        "D",
        11,
        "11 ms belongs to the same bucket as 9 ms: an upper wheel has a coarser resolution.");
    Timeout e = add("E", 14, "14 ms belongs to the next bucket of level 2, from 12 to 15 ms.");
    add(
        "F",
        45,
        "45 ms is also out of the 16 ms of level 2: the overflow goes on to level 3, and its bucket from 32 to "
            + "47 ms takes the task. Inserting takes as many steps as there are levels, at most.");
    stop(
        e,
        "Stopping a task takes one step, too. The proposal unlinks it from its bucket; here, it is marked and "
            + "stays as an ended entry, without its task, until its bucket is visited or swept.");
    add(
        "G",
        0,
        "A task is never inserted into the bucket for the current time, which has already expired. The proposal "
            + "runs it at once; here, it is due at once, and the clock runs it: nothing runs inside schedule.");
  }

  /** Visits the buckets of the finest level. */
  private void tick() {
    advanceTo(0, "The clock looks at 0 ms. G expires. The next bucket is that for 1 ms.");
    advanceTo(
        1,
        "The timer ticks, and all tasks in the bucket for 1 ms expire: A. The emptied bucket is available for "
            + "another round.");
    advanceTo(
        3,
        "The clock is driven by the queue of buckets with entries, not by a tick each millisecond: nothing is in "
            + "the bucket for 2 ms, and it goes straight to 3 ms. B expires. The clock visits the bucket from 8 "
            + "to 11 ms next, at 9 ms, when its first task is due.");
  }

  /** Comes to the buckets of the upper levels. */
  private void overflow() {
    advanceTo(
        8,
        "The bucket from 8 to 11 ms starts. In the proposal it expires now, and C and D are reinserted into finer "
            + "buckets. Here, they came in the order of their deadlines, so the bucket waits for the first of "
            + "them, and the clock need not wake to move it. Tasks in another order are sorted if they are few. "
            + "Only a large bucket in another order is split into finer ones.");
    advanceTo(
        9,
        "C expires, and its bucket waits for D. E, which was stopped, is dropped when the clock comes to its "
            + "bucket.");
    add(
        "H",
        3,
        "Due at 12 ms, within 4 ms from now: level 1. A ring has room for two turns, and buckets that were emptied "
            + "are used again.");
    advanceTo(11, "D expires.");
    advanceTo(12, "H expires. Only F is left, and the clock has nothing to do until 45 ms.");
    advanceTo(
        32,
        "The bucket of level 3 from 32 to 47 ms starts. In the proposal, F moves to level 2 now, and to level 1 at "
            + "44 ms. Here, the clock sleeps on.");
    advanceTo(45, "F expires, at its deadline. It was not moved. The timer is empty.");
  }

  private Timeout add(String name, int delayMillis, String text) {
    Timeout timeout = timer.schedule(() -> ended(name, "expired"), Duration.ofMillis(delayMillis));
    names.put(timeout, name);
    Map<String, Object> task = new LinkedHashMap<>();
    task.put("name", name);
    task.put("dueMillis", millis + delayMillis);
    task.put("state", "waits");
    states.put(name, task);
    step("Add " + name + ", to run in " + delayMillis + " ms", text);
    return timeout;
  }

  private void stop(Timeout timeout, String text) {
    String name = requireNonNull(names.get(timeout));
    if (timeout.cancel()) {
      ended(name, "stopped");
    }
    step("Stop " + name, text);
  }

  private void advanceTo(long time, String text) {
    millis = time;
    timer.advance();
    step("The clock advances to " + time + " ms", text);
  }

  private void ended(String name, String state) {
    Map<String, Object> task = requireNonNull(states.get(name));
    task.put("state", state);
    task.put("atMillis", millis);
  }

  private void step(String title, String text) {
    Map<String, Object> step = new LinkedHashMap<>(Rings.describe(timer, names));
    step.put("title", title);
    step.put("text", text);
    step.put(
        "tasks", states.values().stream().<Object>map(each -> new LinkedHashMap<>(each)).toList());
    steps.add(step);
  }
}
