package dev.purgatory.cli.brokerbench;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What brokers run, and whether their clients wait.
 *
 * @param name what it is called in options and tables
 * @param classPath where the broker's classes are
 * @param dropIn whether the broker must run the drop-in, or must not
 * @param holds whether requests are held; otherwise it is the load's floor
 */
public record Contender(String name, String classPath, boolean dropIn, boolean holds) {

  /** Kafka as released. */
  public static Contender kafka(String classPath) {
    return new Contender("kafka", classPath, false, true);
  }

  /** Kafka with the drop-in. */
  public static Contender dropIn(String classPath) {
    return new Contender("purgatory-kafka", classPath, true, true);
  }

  /** Kafka as released, and requests that need not be held. */
  public static Contender floor(String classPath) {
    return new Contender("floor", classPath, false, false);
  }

  /**
   * The contender of a name.
   *
   * @param name which
   * @param all who there is
   * @throws IllegalArgumentException if there is none; the message is one line and lists them
   */
  public static Contender of(String name, List<Contender> all) {
    String names = all.stream().map(Contender::name).collect(Collectors.joining(", "));
    return all.stream()
        .filter(contender -> contender.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no contender " + name + "; there are " + names));
  }
}
