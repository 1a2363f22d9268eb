package dev.purgatory.cli.soak;

import dev.purgatory.cli.node.KafkaNode;

/**
 * A node and the two gates through which everybody reaches it: clients, the other nodes, itself.
 *
 * @param node the node
 * @param clients the gate of its broker
 * @param controllers the gate of its controller
 */
record GatedNode(KafkaNode node, Gate clients, Gate controllers) {
  void shut() {
    clients.shut();
    controllers.shut();
  }

  void open() {
    clients.open();
    controllers.open();
  }

  int id() {
    return node.config().id();
  }
}
