package dev.purgatory.checker;

import org.jspecify.annotations.Nullable;

/** Thrown if an invariant does not hold. */
public final class Finding extends AssertionError {
  private static final long serialVersionUID = 1;

  private final Invariant invariant;

  /**
   * Creates a finding.
   *
   * @param invariant the invariant that does not hold
   * @param details what was observed
   */
  public Finding(Invariant invariant, String details) {
    this(invariant, details, null);
  }

  Finding(Invariant invariant, String details, @Nullable Throwable cause) {
    super(invariant + ": " + details, cause);
    this.invariant = invariant;
  }

  /** Returns the invariant that does not hold. */
  public Invariant invariant() {
    return invariant;
  }

  /** Throws a finding if the condition is false. */
  public static void unless(boolean condition, Invariant invariant, String details) {
    if (!condition) {
      throw new Finding(invariant, details);
    }
  }

  /** Throws a finding if a step returned anything else than expected. */
  static void requireReturned(Object actual, Object expected, Object step) {
    unless(
        actual.equals(expected),
        Invariant.RETURN_VALUES,
        step + " returned " + actual + ", not " + expected);
  }
}
