package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * A program that uses one small class of the library, in virtual time. Each step has three numbers,
 * which a run interprets.
 *
 * @param kind what the program uses
 * @param steps the steps, in order
 */
record SmallProgram(Kind kind, List<Step> steps) implements Shrinkable<SmallProgram> {
  private static final int MOST_STEPS = 80;

  /** What a program uses. */
  @SuppressWarnings("ImmutableEnumChecker") // a constructor
  enum Kind {
    SESSIONS(SessionRun::new),
    THROTTLES(ThrottleRun::new);

    private final Supplier<Run> run;

    Kind(Supplier<Run> run) {
      this.run = run;
    }
  }

  /** A step. */
  record Step(int what, int key, long amount) {}

  /** Performs the steps, and compares what it uses with a model. */
  interface Run {
    void perform(Step step);

    /**
     * Called after each step.
     *
     * @throws Finding if an invariant does not hold
     */
    void verify();

    /** Ends what is left, and checks that nothing is kept. */
    void end();
  }

  SmallProgram {
    steps = List.copyOf(steps);
  }

  /** Generates a program. */
  static SmallProgram of(long seed) {
    SplittableRandom random = new SplittableRandom(~seed);
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    List<Step> steps = new ArrayList<>();
    for (int i = 5 + random.nextInt(MOST_STEPS); i > 0; i--) {
      steps.add(new Step(random.nextInt(1 << 16), random.nextInt(3), random.nextInt(12)));
    }
    return new SmallProgram(kind, steps);
  }

  void run(Tally tally) {
    Run run = kind.run.get();
    for (Step step : steps) {
      tally.step();
      run.perform(step);
      run.verify();
    }
    run.end();
  }

  @Override
  public int length() {
    return steps.size();
  }

  @Override
  public SmallProgram without(int from, int to) {
    List<Step> fewer = new ArrayList<>(steps.subList(0, from));
    fewer.addAll(steps.subList(to, steps.size()));
    return new SmallProgram(kind, fewer);
  }

  @Override
  public int parts() {
    return 0;
  }

  @Override
  public SmallProgram simplified(int part) {
    return this;
  }

  String listing() {
    StringBuilder text = new StringBuilder().append(kind).append('\n');
    steps.forEach(step -> text.append("  ").append(step).append('\n'));
    return text.toString();
  }
}
