package dev.purgatory.checker;

import java.util.concurrent.atomic.LongAdder;

/** Counts what was done. Thread-safe. */
final class Tally {
  private final LongAdder steps = new LongAdder();
  private final LongAdder callbacks = new LongAdder();
  private final LongAdder reactions = new LongAdder();

  void step() {
    steps.increment();
  }

  void callback() {
    callbacks.increment();
  }

  void reaction() {
    reactions.increment();
  }

  long steps() {
    return steps.sum();
  }

  long callbacks() {
    return callbacks.sum();
  }

  long reactions() {
    return reactions.sum();
  }
}
