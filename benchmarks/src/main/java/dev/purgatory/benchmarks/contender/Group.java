package dev.purgatory.benchmarks.contender;

/** Determines which runs measure an {@link Entrant}, and in how many JVMs. */
public enum Group {
  /** The floor, this project and Kafka: measured in the most JVMs. */
  MAIN,
  /** The usual alternatives. */
  ALTERNATIVE,
  /** Measured only in full runs and by name. */
  RARE;

  /** Returns whether an entrant is in this group. */
  public boolean contains(Entrant entrant) {
    return entrant.group() == this;
  }
}
