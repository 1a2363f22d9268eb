package dev.purgatory.cluster.disturb;

/** A failure that is inflicted on a process and later ended. */
public enum Disturbance {
  /** The process is killed, as by a crash, and started again. */
  KILL("killed") {
    @Override
    public void begin(Disturbed target) {
      target.kill();
    }

    @Override
    public void end(Disturbed target) {
      target.start();
    }
  },
  /** The process is paused, as by a very long garbage collection, and resumed. */
  PAUSE("paused") {
    @Override
    public void begin(Disturbed target) {
      target.pause();
    }

    @Override
    public void end(Disturbed target) {
      target.resume();
    }
  },
  /** No other process can reach it, but it can still reach the others. */
  CUT_OFF("cut off") {
    @Override
    public void begin(Disturbed target) {
      target.shut();
    }

    @Override
    public void end(Disturbed target) {
      target.open();
    }
  };

  private final String participle;

  Disturbance(String participle) {
    this.participle = participle;
  }

  /** Returns a past participle for messages, as in "node 1 killed". */
  public String participle() {
    return participle;
  }

  /** Makes the process fail. */
  public abstract void begin(Disturbed target);

  /** Lets the process recover. */
  public abstract void end(Disturbed target);
}
