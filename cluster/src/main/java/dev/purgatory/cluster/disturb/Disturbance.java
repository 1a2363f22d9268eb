package dev.purgatory.cluster.disturb;

/** A failure that a node is made to suffer, and recovers from. */
public enum Disturbance {
  /** The node is killed, as by a crash, and started again. */
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
  /** The process stops, as during a very long garbage collection, and continues. */
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
  /** Nobody reaches the node, while it can still reach the others. */
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
