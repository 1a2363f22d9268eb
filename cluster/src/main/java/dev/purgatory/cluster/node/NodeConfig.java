package dev.purgatory.cluster.node;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one combined broker and controller is told.
 *
 * @param id the node's id, from 1
 * @param brokerPort where the broker listens
 * @param reachedPort where clients and the other brokers connect; the same, unless a gate is
 *     between
 * @param controllerPort where the other controllers connect
 * @param voters all nodes as {@code id@host:port} of their controllers
 * @param folder where the node keeps its files; its data lie in a folder of their own below
 * @param more settings that differ from command to command; they win
 */
public record NodeConfig(
    int id,
    int brokerPort,
    int reachedPort,
    int controllerPort,
    List<String> voters,
    Path folder,
    Map<String, String> more) {

  /** Copies what can change. */
  public NodeConfig {
    voters = List.copyOf(voters);
    more = Map.copyOf(more);
  }

  /** A node that is reached where it listens. */
  public NodeConfig(
      int id,
      int brokerPort,
      int controllerPort,
      List<String> voters,
      Path folder,
      Map<String, String> more) {
    this(id, brokerPort, brokerPort, controllerPort, voters, folder, more);
  }

  /**
   * Names the controller of a node as the quorum's setting wants it.
   *
   * @param id the node's id
   * @param controllerPort its controller's port
   * @return {@code id@host:port}
   */
  public static String voter(int id, int controllerPort) {
    return id + "@" + Ports.LOOPBACK + ":" + controllerPort;
  }

  /** Where clients connect, as {@code host:port}. */
  public String bootstrap() {
    return Ports.LOOPBACK + ":" + reachedPort;
  }

  /** The folder with the node's partitions. */
  public Path data() {
    return folder.resolve("data");
  }

  /** The file with all that the node printed and logged. */
  public Path log() {
    return folder.resolve("broker.log");
  }

  /** The node's settings, in the order of reading. */
  public Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("process.roles", "broker,controller");
    properties.put("node.id", Integer.toString(id));
    properties.put("controller.quorum.voters", String.join(",", voters));
    String listener = "PLAINTEXT://" + Ports.LOOPBACK + ":" + brokerPort;
    properties.put("listeners", listener + "," + controllerListener());
    properties.put("advertised.listeners", "PLAINTEXT://" + bootstrap());
    properties.put("controller.listener.names", "CONTROLLER");
    properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    properties.put("log.dirs", data().toString());
    properties.putAll(more);
    return properties;
  }

  private String controllerListener() {
    return "CONTROLLER://" + Ports.LOOPBACK + ":" + controllerPort;
  }
}
