package dev.purgatory.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A random program. Running it on one thread is deterministic, except for jitter.
 *
 * @param setup what it begins with
 * @param steps the steps, in order
 * @param <R> its runs
 */
record Program<R extends Run>(Setup<R> setup, List<Step<R>> steps) {
  private static final int THREADS = 3;

  Program {
    steps = List.copyOf(steps);
  }

  /**
   * Performs the steps one after another, and compares the library with the model after each.
   *
   * @return the run, which has ended
   * @throws Finding if an invariant does not hold
   */
  R run(Tally tally) {
    R run = setup.start(tally);
    try {
      for (Step<R> step : steps) {
        tally.step();
        step.by(run);
        run.verify();
      }
      run.end();
      return run;
    } finally {
      run.close();
    }
  }

  /**
   * Performs the steps on several threads, and checks the result when all have finished.
   *
   * @throws Finding if an invariant does not hold
   */
  void race(Crew crew, Tally tally) {
    R run = setup.start(tally);
    crew.race(
        IntStream.range(0, THREADS)
            .<Runnable>mapToObj(thread -> () -> performShare(thread, run, tally))
            .toList());
    run.verify();
    run.end();
  }

  private void performShare(int thread, R run, Tally tally) {
    for (int i = thread; i < steps.size(); i += THREADS) {
      tally.step();
      steps.get(i).by(run);
    }
  }

  /**
   * Reduces a program that fails: removes steps, many at a time and then one by one, and simplifies
   * the rest.
   *
   * @param fails returns whether a program still fails in the same way
   */
  Program<R> shrunk(Predicate<Program<R>> fails) {
    Program<R> small = this;
    for (int size = Math.max(1, steps.size() / 2); size >= 1; size /= 2) {
      small = small.withFewerSteps(size, fails);
    }
    for (int i = 0; i < setup.parts(); i++) {
      small = small.orIf(fails, new Program<>(small.setup.simplified(i), small.steps));
    }
    for (int i = 0; i < small.steps.size(); i++) {
      Step<R> smaller = small.steps.get(i).smaller();
      if (smaller != small.steps.get(i)) {
        small = small.orIf(fails, small.with(smaller, i));
      }
    }
    return small.withFewerSteps(1, fails);
  }

  private Program<R> withFewerSteps(int size, Predicate<Program<R>> fails) {
    Program<R> small = this;
    for (int from = 0; from < small.steps.size(); ) {
      Program<R> fewer = small.without(from, Math.min(from + size, small.steps.size()));
      if (fails.test(fewer)) {
        small = fewer;
      } else {
        from += size;
      }
    }
    return small;
  }

  private Program<R> orIf(Predicate<Program<R>> fails, Program<R> smaller) {
    return fails.test(smaller) ? smaller : this;
  }

  private Program<R> without(int from, int to) {
    List<Step<R>> fewer = new ArrayList<>(steps);
    fewer.subList(from, to).clear();
    return new Program<>(setup, fewer);
  }

  private Program<R> with(Step<R> step, int at) {
    List<Step<R>> others = new ArrayList<>(steps);
    others.set(at, step);
    return new Program<>(setup, others);
  }

  /** Returns the program as text: the setup, and one line for each step. */
  String listing() {
    StringBuilder text = new StringBuilder(setup.listing(steps));
    for (int i = 0; i < steps.size(); i++) {
      text.append("  step ").append(i).append(": ").append(steps.get(i)).append('\n');
    }
    return text.toString();
  }
}
