package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * What a program begins with that uses one purgatory.
 *
 * @param settings the settings of the purgatory
 * @param plans the operations
 * @param threaded whether several threads perform the steps
 */
record OperationSetup(Settings settings, List<OperationPlan> plans, boolean threaded)
    implements Setup<OperationRun> {

  OperationSetup {
    plans = List.copyOf(plans);
  }

  @Override
  public OperationRun start(Tally tally) {
    return threaded ? new Race(this, tally) : new Simulation(this, tally);
  }

  @Override
  public int parts() {
    return plans.size();
  }

  /** An operation is simpler without reactions. */
  @Override
  public OperationSetup simplified(int part) {
    List<OperationPlan> others = new ArrayList<>(plans);
    others.set(part, plans.get(part).calm());
    return new OperationSetup(settings, others, threaded);
  }

  @Override
  public String listing(List<Step<OperationRun>> steps) {
    StringBuilder text = new StringBuilder().append(settings).append('\n');
    for (int i = 0; i < plans.size(); i++) {
      text.append("  operation ").append(i).append(": ").append(plans.get(i)).append('\n');
    }
    return text.toString();
  }
}
