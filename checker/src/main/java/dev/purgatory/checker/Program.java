package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * A program that uses one purgatory. Running it on one thread is deterministic.
 *
 * @param settings the settings of the purgatory
 * @param operations the operations
 * @param steps the steps, in order
 */
record Program(Settings settings, List<OperationPlan> operations, List<Action> steps)
    implements Shrinkable<Program> {

  Program {
    operations = List.copyOf(operations);
    steps = List.copyOf(steps);
  }

  @Override
  public int length() {
    return steps.size();
  }

  @Override
  public Program without(int from, int to) {
    List<Action> fewer = new ArrayList<>(steps.subList(0, from));
    fewer.addAll(steps.subList(to, steps.size()));
    return new Program(settings, operations, fewer);
  }

  @Override
  public int parts() {
    return operations.size();
  }

  /** An operation is simpler without reactions. */
  @Override
  public Program simplified(int part) {
    List<OperationPlan> others = new ArrayList<>(operations);
    others.set(part, operations.get(part).calm());
    return new Program(settings, others, steps);
  }

  /** Returns the program as text: the settings, and one line for each operation and each step. */
  String listing() {
    StringBuilder text = new StringBuilder().append(settings).append('\n');
    for (int i = 0; i < operations.size(); i++) {
      text.append("  operation ").append(i).append(": ").append(operations.get(i)).append('\n');
    }
    for (int i = 0; i < steps.size(); i++) {
      text.append("  step ").append(i).append(": ").append(steps.get(i)).append('\n');
    }
    return text.toString();
  }
}
