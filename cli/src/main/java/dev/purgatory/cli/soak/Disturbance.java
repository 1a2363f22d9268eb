package dev.purgatory.cli.soak;

/** What befalls a node. */
enum Disturbance {
  /** It is killed as by a crash, and started again. */
  KILL("killed") {
    @Override
    void begin(GatedNode node) {
      node.node().kill();
    }

    @Override
    void end(GatedNode node) {
      node.node().start();
    }
  },
  /** It stands still, as in a very long collection, and goes on. */
  PAUSE("paused") {
    @Override
    void begin(GatedNode node) {
      node.node().pause();
    }

    @Override
    void end(GatedNode node) {
      node.node().resume();
    }
  },
  /** Nobody reaches it, while it reaches the others. */
  CUT_OFF("cut off") {
    @Override
    void begin(GatedNode node) {
      node.shut();
    }

    @Override
    void end(GatedNode node) {
      node.open();
    }
  };

  private final String participle;

  Disturbance(String participle) {
    this.participle = participle;
  }

  /** What is said of the node. */
  String participle() {
    return participle;
  }

  abstract void begin(GatedNode node);

  abstract void end(GatedNode node);
}
