package dev.purgatory.checker;

/** One run of a {@link Program}: a part of the library, and a model of it. */
interface Run {

  /**
   * Compares the library with the model. Called after each step, or once if several threads perform
   * the steps.
   *
   * @throws Finding if an invariant does not hold
   */
  void verify();

  /**
   * Ends what is left, and checks that nothing is kept. Called after the last step.
   *
   * @throws Finding if an invariant does not hold
   */
  void end();

  /** Called last, also after a finding. */
  default void close() {}
}
