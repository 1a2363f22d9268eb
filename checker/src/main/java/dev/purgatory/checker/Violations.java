package dev.purgatory.checker;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Collects findings, on threads where throwing them would not stop the program. Thread-safe. */
final class Violations {
  private final Queue<Finding> findings = new ConcurrentLinkedQueue<>();

  /** Collects a finding if the condition is false. */
  void require(boolean condition, Invariant invariant, String details) {
    if (!condition) {
      add(new Finding(invariant, details));
    }
  }

  void add(Finding finding) {
    findings.add(finding);
  }

  /**
   * Throws the first finding.
   *
   * @throws Finding if there is one
   */
  void verify() {
    if (!findings.isEmpty()) {
      throw findings.element();
    }
  }
}
