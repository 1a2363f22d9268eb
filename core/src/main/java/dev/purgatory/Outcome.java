package dev.purgatory;

/** How a held operation ended. It ends once, with one of these. */
public enum Outcome {

  /** An event made it answerable, or somebody completed it. */
  COMPLETED,

  /** Its time was up. */
  TIMED_OUT,

  /** It was cancelled. */
  CANCELLED,

  /** Its condition threw, or somebody failed it. There is a cause. */
  FAILED,

  /** The purgatory was closed while it was held. */
  CLOSED
}
