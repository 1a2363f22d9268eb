package dev.purgatory.benchmarks.contender;

/** Which runs measure an {@link Entrant}, and in how many JVMs. */
public enum Group {
  /** The floor, ours and Kafka's: those of the headline figures, in most JVMs. */
  MAIN,
  /** What people would use instead. */
  ALTERNATIVE,
  /** Measured only in full runs and by name. */
  RARE;

  /** Returns whether an entrant is in this group. */
  public boolean contains(Entrant entrant) {
    return entrant.group() == this;
  }
}
