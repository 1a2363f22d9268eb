package dev.purgatory.checker;

/** A step of a program, or of a callback. Operations are identified by number. */
sealed interface Action {

  /** Performs this action. */
  void by(Actor actor);

  /** Performs the actions. */
  interface Actor {
    void add(int operation);

    void addBadly(int operation, Mistake mistake);

    void setReady(int operation, boolean ready);

    void signal(Key key);

    void complete(int operation);

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

  /** An invalid argument. */
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

  /** Adds an operation with an invalid argument, which must be rejected. */
  record AddBadly(int operation, Mistake mistake) implements Action {
    @Override
    public void by(Actor actor) {
      actor.addBadly(operation, mistake);
    }
  }

  record SetReady(int operation, boolean ready) implements Action {
    @Override
    public void by(Actor actor) {
      actor.setReady(operation, ready);
    }
  }

  record Signal(Key key) implements Action {
    @Override
    public void by(Actor actor) {
      actor.signal(key);
    }
  }

  record Complete(int operation) implements Action {
    @Override
    public void by(Actor actor) {
      actor.complete(operation);
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

  /** Moves the ticker without advancing the timer. */
  record Pass(long nanos) implements Action {
    @Override
    public void by(Actor actor) {
      actor.pass(nanos);
    }
  }

  /** Moves the ticker and advances the timer. */
  record Advance(long nanos) implements Action {
    @Override
    public void by(Actor actor) {
      actor.advance(nanos);
    }
  }

  /** Runs the tasks that executors have queued, in an order that the seed determines. */
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

  /** Performs an action while the thread is interrupted. */
  record Interrupted(Action action) implements Action {
    @Override
    public void by(Actor actor) {
      actor.interrupted(action);
    }
  }
}
