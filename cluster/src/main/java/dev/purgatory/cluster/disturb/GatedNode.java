package dev.purgatory.cluster.disturb;

import dev.purgatory.cluster.node.KafkaNode;

/**
 * A node and the two gates through which clients, the other nodes and the node itself reach it.
 *
 * @param node the node
 * @param clients the gate of its broker
 * @param controllers the gate of its controller
 */
public record GatedNode(KafkaNode node, Gate clients, Gate controllers) implements Disturbed {
  @Override
  public String name() {
    return "node " + node.config().id();
  }

  @Override
  public boolean isAlive() {
    return node.isAlive();
  }

  @Override
  public void kill() {
    node.kill();
  }

  @Override
  public void start() {
    node.start();
  }

  @Override
  public void pause() {
    node.pause();
  }

  @Override
  public void resume() {
    node.resume();
  }

  @Override
  public void shut() {
    clients.shut();
    controllers.shut();
  }

  @Override
  public void open() {
    clients.open();
    controllers.open();
  }
}
