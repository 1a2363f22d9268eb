package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * A program that handles many operations at a time, to measure how much memory, how many threads
 * and how much stack that takes.
 *
 * @param settings the settings of the timer and the purgatories
 * @param steps the steps, in order
 */
record BulkProgram(BulkSettings settings, List<BulkStep> steps) implements Shrinkable<BulkProgram> {

  /**
   * The settings of the timer and the purgatories.
   *
   * @param tickNanos the tick of the timer
   * @param wheelSize the number of buckets of a wheel
   * @param stripes the number of stripes of the timer
   * @param purgatories the number of purgatories on the timer
   * @param ownThreads whether timeouts are answered on the purgatories' own threads; if not, on the
   *     thread that advances the timer
   */
  record BulkSettings(
      long tickNanos, int wheelSize, int stripes, int purgatories, boolean ownThreads) {}

  BulkProgram {
    steps = List.copyOf(steps);
  }

  @Override
  public int length() {
    return steps.size();
  }

  @Override
  public BulkProgram without(int from, int to) {
    List<BulkStep> fewer = new ArrayList<>(steps.subList(0, from));
    fewer.addAll(steps.subList(to, steps.size()));
    return new BulkProgram(settings, fewer);
  }

  @Override
  public int parts() {
    return steps.size();
  }

  @Override
  public BulkProgram simplified(int part) {
    List<BulkStep> smaller = new ArrayList<>(steps);
    smaller.set(part, steps.get(part).smaller());
    return new BulkProgram(settings, smaller);
  }

  /** Returns the program as text: the settings, and one line for each step. */
  String listing() {
    StringBuilder text = new StringBuilder().append(settings).append('\n');
    for (int i = 0; i < steps.size(); i++) {
      text.append("  step ").append(i).append(": ").append(steps.get(i)).append('\n');
    }
    return text.toString();
  }
}
