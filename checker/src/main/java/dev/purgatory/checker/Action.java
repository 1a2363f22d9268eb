package dev.purgatory.checker;

/** What is done to a purgatory, by a program or by a callback. Operations are meant by number. */
sealed interface Action {

  /** Does it. */
  void by(Actor actor);

  /** Who can do all that. */
  interface Actor {
    void add(int operation);

    void addBadly(int operation, Mistake mistake);

    void setAnswerable(int operation, boolean answerable);

    void check(Key key);

    void force(int operation);

    void cancel(int operation);

    void cancelForKey(Key key);

    void cancelAll();

    void purge();

    void pass(long nanos);

    void advance(long nanos);

    void runTasks(long order);

    void closeTimer();

    void close();

    void interrupted(Action action);
  }

  /** What {@link AddBadly} does wrong. */
  enum Mistake {
    NO_KEYS,
    NULL_KEY,
    NULL_KEYS,
    NULL_OPERATION
  }

  record Add(int operation) implements Action {
    @Override
    public void by(Actor actor) {
      actor.add(operation);
    }
  }

  /** With what has to be refused. */
  record AddBadly(int operation, Mistake mistake) implements Action {
    @Override
    public void by(Actor actor) {
      actor.addBadly(operation, mistake);
    }
  }

  record SetAnswerable(int operation, boolean answerable) implements Action {
    @Override
    public void by(Actor actor) {
      actor.setAnswerable(operation, answerable);
    }
  }

  record Check(Key key) implements Action {
    @Override
    public void by(Actor actor) {
      actor.check(key);
    }
  }

  record Force(int operation) implements Action {
    @Override
    public void by(Actor actor) {
      actor.force(operation);
    }
  }

  record Cancel(int operation) implements Action {
    @Override
    public void by(Actor actor) {
      actor.cancel(operation);
    }
  }

  record CancelForKey(Key key) implements Action {
    @Override
    public void by(Actor actor) {
      actor.cancelForKey(key);
    }
  }

  record CancelAll() implements Action {
    @Override
    public void by(Actor actor) {
      actor.cancelAll();
    }
  }

  record Purge() implements Action {
    @Override
    public void by(Actor actor) {
      actor.purge();
    }
  }

  /** Moves the ticker alone. */
  record Pass(long nanos) implements Action {
    @Override
    public void by(Actor actor) {
      actor.pass(nanos);
    }
  }

  /** Moves the ticker, and then the timer. */
  record Advance(long nanos) implements Action {
    @Override
    public void by(Actor actor) {
      actor.advance(nanos);
    }
  }

  /** Runs what the executors keep, in the order that the number draws. */
  record RunTasks(long order) implements Action {
    @Override
    public void by(Actor actor) {
      actor.runTasks(order);
    }
  }

  record CloseTimer() implements Action {
    @Override
    public void by(Actor actor) {
      actor.closeTimer();
    }
  }

  record Close() implements Action {
    @Override
    public void by(Actor actor) {
      actor.close();
    }
  }

  /** Does something while the thread is interrupted. */
  record Interrupted(Action action) implements Action {
    @Override
    public void by(Actor actor) {
      actor.interrupted(action);
    }
  }
}
