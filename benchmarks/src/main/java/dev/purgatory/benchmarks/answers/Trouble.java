package dev.purgatory.benchmarks.answers;

/** What a soak does besides disturbing processes. */
public enum Trouble {
  /** Somebody answers ids that nobody has issued, with and without the key of a table. */
  FORGED_IDS,

  /** The clocks of the instances differ by hours. */
  CLOCKS,

  /** The topic gets more partitions. */
  PARTITIONS,

  /** The topic is compacted for some time. */
  POLICY,

  /** A record that is older than all ids is damaged. Brokers are not killed: they would drop it. */
  DAMAGE
}
