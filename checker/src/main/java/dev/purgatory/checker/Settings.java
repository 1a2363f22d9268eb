package dev.purgatory.checker;

/**
 * The settings of a purgatory and its timer.
 *
 * @param tickNanos the tick of the timer
 * @param wheelSize the number of buckets of a wheel
 * @param stripes the number of stripes of the timer
 * @param origin the first reading of the ticker
 * @param purgeInterval how many registrations may be cleared before a purge is due
 * @param completions the behaviour of the executor for completions
 * @param expirations the behaviour of the executor for expirations
 * @param listenerThrows whether every call of the listener throws
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
    /** Runs it immediately. */
    INLINE,
    /** Queues it until the program runs it. */
    QUEUED,
    /** Rejects it. */
    REJECTING,
    /** Drops it silently. */
    DROPPING,
    /** Runs it twice. */
    TWICE,
    /** Runs it, then throws. */
    FAILING_LATE,
    /** Lets time pass, then runs it. */
    BLOCKING
  }
}
