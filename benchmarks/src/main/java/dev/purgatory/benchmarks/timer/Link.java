package dev.purgatory.benchmarks.timer;

/** An entry of a doubly linked ring. A new entry is a ring by itself. */
final class Link {
  private final long deadline;
  private Link previous = this;
  private Link next = this;

  Link(long deadline) {
    this.deadline = deadline;
  }

  long deadline() {
    return deadline;
  }

  void insertAfter(Link other) {
    previous = other;
    next = other.next;
    next.previous = this;
    other.next = this;
  }

  void remove() {
    previous.next = next;
    next.previous = previous;
    previous = this;
    next = this;
  }
}
