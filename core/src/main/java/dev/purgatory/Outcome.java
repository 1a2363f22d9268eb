package dev.purgatory;

/** How an operation ended. Each operation ends once, with one outcome. */
public enum Outcome {

  /** Its condition held, or a caller completed it. */
  COMPLETED,

  /** Its time limit was over. */
  TIMED_OUT,

  /** It was cancelled. */
  CANCELLED,

  /** Its condition threw, or a caller failed it. There is a cause. */
  FAILED,

  /** The purgatory was closed while it was held. */
  CLOSED
}
