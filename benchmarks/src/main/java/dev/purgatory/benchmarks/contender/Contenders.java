package dev.purgatory.benchmarks.contender;

import java.time.Duration;
import java.util.function.Function;

/**
 * All contenders that hold requests, in the order of charts and tables.
 *
 * <p>To add a contender, write an adapter and add a constant here. Runs, charts and the contract
 * test then include it.
 */
@SuppressWarnings("ImmutableEnumChecker") // The functions are stateless.
public enum Contenders implements Entrant {
  /** Holds nothing: costs only the measurement itself. */
  FLOOR("floor", 0x8a8f98, Group.MAIN, FloorContender::new),
  /** This library. */
  PURGATORY("purgatory", 0x1f6fb2, Group.MAIN, PurgatoryContender::new),
  /** The drop-in, used through Kafka's API. */
  PURGATORY_KAFKA(
      new Identity("purgatory-kafka", 0x5fb0e5, Group.MAIN, Identity.ANY_JDK, true),
      KafkaContender::new),
  /** Kafka's own classes, which count in milliseconds and round deadlines down. */
  KAFKA("kafka", 0xd1495b, Group.MAIN, KafkaContender::new),
  /** The old design of Kafka 0.8. */
  DELAY_QUEUE("delay-queue", 0xe08e2b, Group.RARE, DelayQueueContender::new),
  /** A map and a ScheduledThreadPoolExecutor. */
  MAP_STPE("map+stpe", 0x3a8f5c, Group.ALTERNATIVE, MapContender::onThreadPool),
  /** A map and Netty's HashedWheelTimer, which rounds the clock down to milliseconds. */
  MAP_NETTY("map+netty", 0x7a5ea8, Group.ALTERNATIVE, MapContender::onNetty),
  /** A map and the delay scheduler of JDK 25. */
  MAP_FJP(
      new Identity("map+fjp", 0x9b6a3d, Group.ALTERNATIVE, 25, false),
      MapContender::onForkJoinPool),
  /** This library's timer, and watch lists of weak references. */
  WEAK_LISTS("weak-lists", 0x5b5f97, Group.RARE, WeakListsContender::new);

  private final Identity identity;
  private final Function<Endings, Contender> start;

  /** A contender that runs on any JDK, without the drop-in. */
  Contenders(String title, int rgb, Group group, Function<Endings, Contender> start) {
    this(new Identity(title, rgb, group, Identity.ANY_JDK, false), start);
  }

  Contenders(Identity identity, Function<Endings, Contender> start) {
    this.identity = identity;
    this.start = start;
  }

  @Override
  public Identity identity() {
    return identity;
  }

  /** Returns how early a request may time out, by the contender's own rules. */
  public Duration earliness() {
    return this == KAFKA || this == MAP_NETTY ? Duration.ofMillis(1) : Duration.ZERO;
  }

  /**
   * Starts the contender.
   *
   * @throws UnsupportedOperationException if this JDK does not have what the contender needs
   */
  public Contender open(Endings endings) {
    return start.apply(endings);
  }

  /**
   * Returns the contender with a name.
   *
   * @throws IllegalArgumentException if no contender has this name
   */
  public static Contenders named(String title) {
    for (Contenders contender : values()) {
      if (contender.title().equals(title)) {
        return contender;
      }
    }
    throw new IllegalArgumentException("unknown contender: " + title);
  }
}
