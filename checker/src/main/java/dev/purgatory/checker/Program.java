package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;

/**
 * Something to do to a purgatory: all of it is in here, and nothing is left to chance.
 *
 * @param settings how the purgatory is set up
 * @param operations what it is given
 * @param steps what is done, in their order
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

  /** An operation is simpler if its callbacks do nothing but answer. */
  @Override
  public Program simplified(int part) {
    List<OperationPlan> others = new ArrayList<>(operations);
    others.set(part, operations.get(part).calm());
    return new Program(settings, others, steps);
  }

  /** For people: one line for each thing. */
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
