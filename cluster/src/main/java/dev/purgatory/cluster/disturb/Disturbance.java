package dev.purgatory.cluster.disturb;

/** A failure that is inflicted on a node and later ended. */
public enum Disturbance {
  /** The process is killed, as by a crash, and started again. */
  KILL("killed") {
    @Override
    public void begin(GatedNode node) {
      node.node().kill();
    }

    @Override
    public void end(GatedNode node) {
      node.node().start();
    }
  },
  /** The process is paused, as by a very long garbage collection, and resumed. */
  PAUSE("paused") {
    @Override
    public void begin(GatedNode node) {
      node.node().pause();
    }

    @Override
    public void end(GatedNode node) {
      node.node().resume();
    }
  },
  /** No other process can reach the node, but the node can still reach the others. */
  CUT_OFF("cut off") {
    @Override
    public void begin(GatedNode node) {
      node.shut();
    }

    @Override
    public void end(GatedNode node) {
      node.open();
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

  /** Makes the node fail. */
  public abstract void begin(GatedNode node);

  /** Lets the node recover. */
  public abstract void end(GatedNode node);
}
