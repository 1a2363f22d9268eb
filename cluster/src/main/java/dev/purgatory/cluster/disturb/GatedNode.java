package dev.purgatory.cluster.disturb;

import dev.purgatory.cluster.node.KafkaNode;

/**
 * A node and the two gates through which clients, the other nodes and the node itself reach it.
 *
 * @param node the node
 * @param clients the gate of its broker
 * @param controllers the gate of its controller
 */
public record GatedNode(KafkaNode node, Gate clients, Gate controllers) {
  void shut() {
    clients.shut();
    controllers.shut();
  }

  void open() {
    clients.open();
    controllers.open();
  }

  /** Returns the node's id, from 1. */
  public int id() {
    return node.config().id();
  }
}
