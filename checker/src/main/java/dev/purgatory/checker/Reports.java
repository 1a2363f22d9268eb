package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;

/** Compares thrown failures with reported ones. Thread-safe. */
final class Reports {
  private final Map<Throwable, Integer> missing =
      Collections.synchronizedMap(new IdentityHashMap<>());

  /** Records a failure that must be reported once. */
  void thrown(Throwable failure) {
    missing.merge(failure, 1, Integer::sum);
  }

  void reported(Throwable failure) {
    missing.merge(failure, -1, Integer::sum);
  }

  /**
   * Checks that each failure was reported once.
   *
   * @throws Finding if that is not so
   */
  void verify() {
    synchronized (missing) {
      missing.forEach(
          (failure, count) -> {
            if (count != 0) {
              String what = count > 0 ? "was not reported: " : "was reported too often: ";
              throw new Finding(FAILURES_STAY_APART, what + failure, failure);
            }
          });
      missing.clear();
    }
  }
}
