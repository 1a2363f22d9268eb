package dev.purgatory.checker;

import dev.purgatory.checker.Settings.Behaviour;
import java.util.ArrayList;
import java.util.List;

/**
 * What a program begins with that holds requests as futures: until thresholds, in scopes, under
 * limits and on key groups, with executors that fail.
 *
 * @param settings the limits and where they apply, and the executors
 * @param plans the requests that the program may hold, each several times
 */
record RequestSetup(RequestSettings settings, List<RequestPlan> plans)
    implements Setup<RequestRun> {

  /** The number of purgatories. The first one has diagnostics. */
  static final int PURGATORIES = 2;

  /**
   * The limits and where they apply, and the executors.
   *
   * @param limits the limits
   * @param ofPurgatories the numbers of the limits of each purgatory
   * @param ofScopes the numbers of the limits of each scope
   * @param purgeInterval how many registrations may be cleared before a purge is due
   * @param completions the behaviour of the executor for completions
   * @param expirations the behaviour of the executor for expirations
   */
  record RequestSettings(
      List<LimitPlan> limits,
      List<List<Integer>> ofPurgatories,
      List<List<Integer>> ofScopes,
      int purgeInterval,
      Behaviour completions,
      Behaviour expirations) {

    RequestSettings simpler() {
      return new RequestSettings(
          limits, ofPurgatories, ofScopes, purgeInterval, Behaviour.INLINE, Behaviour.INLINE);
    }
  }

  /** The properties of a limit. */
  record LimitPlan(long requests, long weight, boolean evicts) {}

  RequestSetup {
    plans = List.copyOf(plans);
  }

  @Override
  public RequestRun start(Tally tally) {
    return new RequestRun(this, tally);
  }

  @Override
  public int parts() {
    return plans.size() + 1;
  }

  @Override
  public RequestSetup simplified(int part) {
    if (part == plans.size()) {
      return new RequestSetup(settings.simpler(), plans);
    }
    List<RequestPlan> others = new ArrayList<>(plans);
    others.set(part, plans.get(part).simpler());
    return new RequestSetup(settings, others);
  }

  /** Leaves out the plans that are never held. */
  @Override
  public String listing(List<Step<RequestRun>> steps) {
    StringBuilder text = new StringBuilder().append(settings).append('\n');
    for (RequestPlan plan : plans) {
      if (steps.stream()
          .anyMatch(step -> step instanceof RequestStep each && each.holds(plan, plans.size()))) {
        text.append("  ").append(plan).append('\n');
      }
    }
    return text.toString();
  }
}
