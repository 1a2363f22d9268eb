package dev.purgatory.checker;

/** The steps that handle thousands of operations. */
interface BulkStep extends Step<BulkRun> {

  /** How an operation ends. */
  enum Ending {
    SIGNAL,
    COMPLETE,
    CANCEL,
    CANCEL_FOR_KEY,
    /** The operation stays until its timeout. */
    NONE
  }

  /** A kind of operation. */
  enum Kind {
    /** A subclass of {@link dev.purgatory.DelayedOperation}. */
    DELAYED,
    /** A future with a condition. */
    CONDITIONAL,
    /** A stage with a time limit, which has no key. */
    TIMED_STAGE,
    /** A reply that is awaited by its id. */
    REPLY
  }

  /** How a request of a {@link Chain} ends the next one. */
  enum Link {
    SIGNAL,
    SIGNAL_WITH_REASON,
    SIGNAL_AT_MOST,
    /** A signal queue is run. */
    RUN_QUEUE,
    /** A key of a signal queue is marked whose executor runs tasks at once. */
    MARK,
    COMPLETE,
    CANCEL,
    ADD,
    /** The condition signals the key of the next one. */
    SIGNAL_IN_CONDITION,
    /** The condition advances the threshold of the next one. */
    ADVANCE_IN_CONDITION,
    COMPLETE_FUTURE,
    FAIL_FUTURE,
    CANCEL_FUTURE,
    COMPLETE_FOR_KEY,
    FAIL_FOR_KEY,
    CANCEL_FOR_KEY,
    CLOSE_SCOPE,
    FAIL_SCOPE,
    /** A limit evicts it. */
    EVICT,
    REPLY,
    FAIL_REPLY,
    COMPLETE_ALL,
    FAIL_ALL,
    CANCEL_ALL,
    TIMED_STAGE,
    /** The stage of an evaluation that takes time. */
    EVALUATION,
    /** A throttle releases it. */
    THROTTLE,
    /** A session, which is closed. */
    SESSION
  }

  /**
   * Holds operations and ends them.
   *
   * @param purgatory the number of the purgatory
   * @param count the number of operations
   * @param sharedKeys the number of keys that the operations share; 0 if each has keys of its own
   * @param keysEach the number of keys of each operation
   * @param timeoutNanos the timeout of each operation
   * @param ending how the operations end
   * @param oneByOne whether each operation ends before the next one is held
   * @param threads the number of short-lived threads that share the work; 0 for none
   */
  record Burst(
      int purgatory,
      int count,
      int sharedKeys,
      int keysEach,
      long timeoutNanos,
      Ending ending,
      boolean oneByOne,
      int threads)
      implements BulkStep {

    /** Returns the kind of the operations. It follows from the other values. */
    Kind kind() {
      Kind[] kinds = Kind.values();
      return kinds[(count + keysEach) % kinds.length];
    }

    @Override
    public void by(BulkRun run) {
      run.burst(this);
    }

    @Override
    public BulkStep smaller() {
      return new Burst(
          purgatory,
          halved(count),
          sharedKeys,
          keysEach,
          timeoutNanos,
          ending,
          oneByOne,
          Math.min(threads, 1));
    }
  }

  /**
   * Schedules tasks on the timer itself.
   *
   * @param count the number of tasks
   * @param delayNanos the delay of each task
   * @param cancelled whether the tasks are cancelled afterwards
   * @param threads the number of short-lived threads that share the work; 0 for none
   */
  record TimerBurst(int count, long delayNanos, boolean cancelled, int threads)
      implements BulkStep {
    @Override
    public void by(BulkRun run) {
      run.timerBurst(this);
    }

    @Override
    public BulkStep smaller() {
      return new TimerBurst(halved(count), delayNanos, cancelled, Math.min(threads, 1));
    }
  }

  /**
   * Runs a task that reschedules itself at its last deadline plus its period, while the clock jumps
   * ahead.
   *
   * @param periodNanos the period
   * @param missed the number of periods that the clock jumps over
   */
  record FixedRate(long periodNanos, int missed) implements BulkStep {
    @Override
    public void by(BulkRun run) {
      run.fixedRate(this);
    }

    @Override
    public BulkStep smaller() {
      return new FixedRate(periodNanos, halved(missed));
    }
  }

  /**
   * Holds requests each of which ends the next one from a callback, and ends the first.
   *
   * @param length the number of requests
   * @param link how a request ends the next one
   */
  record Chain(int length, Link link) implements BulkStep {
    @Override
    public void by(BulkRun run) {
      run.chain(this);
    }

    @Override
    public BulkStep smaller() {
      return new Chain(halved(length), link);
    }
  }

  private static int halved(int count) {
    return Math.max(1, count / 2);
  }
}
