package dev.purgatory.cluster.node;

import java.util.List;
import java.util.Map;

/**
 * The class path, settings and JVM options of all nodes of a cluster.
 *
 * @param classPath the class path of the brokers
 * @param settings broker settings, which override the default ones
 * @param jvmOptions options of the brokers' JVMs, such as the heap size
 */
public record NodeSetup(String classPath, Map<String, String> settings, List<String> jvmOptions) {

  /** Copies the collections. */
  public NodeSetup {
    settings = Map.copyOf(settings);
    jvmOptions = List.copyOf(jvmOptions);
  }
}
