package dev.purgatory.cluster.node;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration of a node, which is a broker and a controller.
 *
 * @param id the node's id, from 1
 * @param brokerPort the port that the broker listens on
 * @param reachedPort the port that clients and other brokers connect to; differs from {@code
 *     brokerPort} if there is a gate
 * @param controllerPort the port that the controller listens on
 * @param voters the controllers of all nodes, each as {@code id@host:port}
 * @param folder the folder of the node's files, with a subfolder for its data
 * @param more additional settings, which override the others
 */
public record NodeConfig(
    int id,
    int brokerPort,
    int reachedPort,
    int controllerPort,
    List<String> voters,
    Path folder,
    Map<String, String> more) {

  /** Copies the collections. */
  public NodeConfig {
    voters = List.copyOf(voters);
    more = Map.copyOf(more);
  }

  /** Creates the configuration of a node without a gate. */
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
   * Returns an entry for {@link #voters}.
   *
   * @param id the node's id
   * @param controllerPort the port of its controller
   * @return {@code id@host:port}
   */
  public static String voter(int id, int controllerPort) {
    return id + "@" + Ports.LOOPBACK + ":" + controllerPort;
  }

  /** Returns the address that clients connect to, as {@code host:port}. */
  public String bootstrap() {
    return Ports.LOOPBACK + ":" + reachedPort;
  }

  /** Returns the folder with the node's partitions. */
  public Path data() {
    return folder.resolve("data");
  }

  /** Returns the file that receives the node's output and log. */
  public Path log() {
    return folder.resolve("broker.log");
  }

  /** Returns the broker settings. */
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
