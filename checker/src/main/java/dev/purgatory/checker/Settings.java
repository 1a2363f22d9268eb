package dev.purgatory.checker;

/**
 * How a purgatory is set up.
 *
 * @param tickNanos of its timer
 * @param wheelSize of its timer
 * @param stripes of its timer
 * @param origin what the ticker reads at first
 * @param purgeInterval entries of lists
 * @param completions where completions run
 * @param expirations where expirations run
 * @param listenerThrows whether the listener fails each time that it is told something
 */
record Settings(
    long tickNanos,
    int wheelSize,
    int stripes,
    long origin,
    int purgeInterval,
    Behaviour completions,
    Behaviour expirations,
    boolean listenerThrows) {

  /** What an executor does with a task. */
  enum Behaviour {
    /** Runs it at once. */
    INLINE,
    /** Keeps it until the program runs it. */
    QUEUED,
    /** Refuses it. */
    REJECTING,
    /** Forgets it without a word. */
    DROPPING,
    /** Runs it twice. */
    TWICE,
    /** Runs it, and throws then. */
    FAILING_LATE
  }
}
