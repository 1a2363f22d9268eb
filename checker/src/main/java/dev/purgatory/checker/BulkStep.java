package dev.purgatory.checker;

/** A step of a {@link BulkProgram}. Most of them handle thousands of operations. */
sealed interface BulkStep {

  /** Performs this step. */
  void by(Actor actor);

  /** Returns a step that does the same with less. Returns this step if that is not possible. */
  default BulkStep smaller() {
    return this;
  }

  /** Performs the steps. */
  interface Actor {
    void burst(Burst burst);

    void timerBurst(TimerBurst burst);

    void fixedRate(FixedRate task);

    void chain(Chain chain);

    void touchAll();

    void endAll(Ending ending);

    void pass(long nanos, int advances);

    void quiet();

    void rest();
  }

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
    LIMITED,
    /** A reply that is awaited by its id. */
    REPLY
  }

  /** How an operation of a {@link Chain} ends the next one. */
  enum Link {
    SIGNAL,
    COMPLETE,
    ADD
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
    public void by(Actor actor) {
      actor.burst(this);
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
    public void by(Actor actor) {
      actor.timerBurst(this);
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
    public void by(Actor actor) {
      actor.fixedRate(this);
    }

    @Override
    public BulkStep smaller() {
      return new FixedRate(periodNanos, halved(missed));
    }
  }

  /**
   * Holds operations each of which completes the next one from its callback, and completes the
   * first.
   *
   * @param length the number of operations
   * @param link how an operation ends the next one
   */
  record Chain(int length, Link link) implements BulkStep {
    @Override
    public void by(Actor actor) {
      actor.chain(this);
    }

    @Override
    public BulkStep smaller() {
      return new Chain(halved(length), link);
    }
  }

  /** Holds one operation in each purgatory and cancels it. */
  record TouchAll() implements BulkStep {
    @Override
    public void by(Actor actor) {
      actor.touchAll();
    }
  }

  /** Ends the operations that earlier steps have left pending. */
  record EndAll(Ending ending) implements BulkStep {
    @Override
    public void by(Actor actor) {
      actor.endAll(ending);
    }
  }

  /**
   * Moves the clock ahead.
   *
   * @param nanos by how much
   * @param advances the number of times that the timer is advanced
   */
  record Pass(long nanos, int advances) implements BulkStep {
    @Override
    public void by(Actor actor) {
      actor.pass(nanos, advances);
    }
  }

  /** Lets one second pass and checks that no unused key is left. */
  record Quiet() implements BulkStep {
    @Override
    public void by(Actor actor) {
      actor.quiet();
    }
  }

  /** Cancels everything and waits, in real time, until the threads of the library have ended. */
  record Rest() implements BulkStep {
    @Override
    public void by(Actor actor) {
      actor.rest();
    }
  }

  private static int halved(int count) {
    return Math.max(1, count / 2);
  }
}
