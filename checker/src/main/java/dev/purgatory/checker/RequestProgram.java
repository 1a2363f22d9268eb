package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * A program that holds requests as futures: until thresholds, in scopes, under limits and on key
 * sets. Running it is deterministic, except for jitter.
 *
 * @param settings the limits and where they apply
 * @param plans the requests that the program may hold, each several times
 * @param steps the steps, in order
 */
record RequestProgram(RequestSettings settings, List<RequestPlan> plans, List<RequestStep> steps)
    implements Shrinkable<RequestProgram> {

  /** The number of purgatories. The first one has diagnostics. */
  static final int PURGATORIES = 2;

  /**
   * The limits and where they apply.
   *
   * @param limits the limits
   * @param ofPurgatories the numbers of the limits of each purgatory
   * @param ofScopes the numbers of the limits of each scope
   * @param purgeInterval how many registrations may be cleared before a purge is due
   */
  record RequestSettings(
      List<LimitPlan> limits,
      List<List<Integer>> ofPurgatories,
      List<List<Integer>> ofScopes,
      int purgeInterval) {}

  /** The properties of a limit. */
  record LimitPlan(long requests, long weight, boolean evicts) {}

  RequestProgram {
    plans = List.copyOf(plans);
    steps = List.copyOf(steps);
  }

  @Override
  public int length() {
    return steps.size();
  }

  @Override
  public RequestProgram without(int from, int to) {
    List<RequestStep> fewer = new ArrayList<>(steps.subList(0, from));
    fewer.addAll(steps.subList(to, steps.size()));
    return new RequestProgram(settings, plans, fewer);
  }

  @Override
  public int parts() {
    return plans.size();
  }

  @Override
  public RequestProgram simplified(int part) {
    List<RequestPlan> others = new ArrayList<>(plans);
    others.set(part, plans.get(part).simpler());
    return new RequestProgram(settings, others, steps);
  }

  /** Returns the program as text: the settings, and one line for each plan and each step. */
  String listing() {
    StringBuilder text = new StringBuilder().append(settings).append('\n');
    for (int i = 0; i < plans.size(); i++) {
      text.append("  request ").append(i).append(": ").append(plans.get(i)).append('\n');
    }
    for (int i = 0; i < steps.size(); i++) {
      text.append("  step ").append(i).append(": ").append(steps.get(i)).append('\n');
    }
    return text.toString();
  }
}
