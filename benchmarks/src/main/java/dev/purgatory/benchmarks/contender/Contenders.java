package dev.purgatory.benchmarks.contender;

import java.time.Duration;

/**
 * Everyone who holds requests, in the order of charts and tables.
 *
 * <p>A new contender takes an adapter and a constant here. Runs, charts and the contract test
 * follow from the constant.
 */
@SuppressWarnings("ImmutableEnumChecker") // The functions have no state.
public enum Contenders implements Entrant {
  /** Holds nothing: its costs are those of measuring. */
  FLOOR("floor", 0x8a8f98, Group.MAIN, Traits.of(FloorContender::new)),
  /** This library. */
  PURGATORY(
      "purgatory",
      0x1f6fb2,
      Group.MAIN,
      Traits.of(PurgatoryContender::new).withWheels(PurgatoryContender::new)),
  /** The drop-in, through Kafka's API. */
  PURGATORY_KAFKA(
      "purgatory-kafka",
      0x5fb0e5,
      Group.MAIN,
      Traits.of(KafkaContender::new).withWheelsInMillis(KafkaContender::new).onDropIn()),
  /** Kafka's own classes. They count whole milliseconds, and round deadlines down. */
  KAFKA(
      "kafka",
      0xd1495b,
      Group.MAIN,
      Traits.of(KafkaContender::new)
          .withWheelsInMillis(KafkaContender::new)
          .earlyBy(Duration.ofMillis(1))),
  /** The old design of Kafka 0.8. */
  DELAY_QUEUE("delay-queue", 0xe08e2b, Group.RARE, Traits.of(DelayQueueContender::new)),
  /** A map and a ScheduledThreadPoolExecutor. */
  MAP_STPE("map+stpe", 0x3a8f5c, Group.ALTERNATIVE, Traits.of(MapContender::onThreadPool)),
  /** A map and Netty's HashedWheelTimer, which rounds its clock down to milliseconds. */
  MAP_NETTY(
      "map+netty",
      0x7a5ea8,
      Group.ALTERNATIVE,
      Traits.of(MapContender::onNetty)
          .withWheelsInMillis(MapContender::onNetty)
          .earlyBy(Duration.ofMillis(1))),
  /** A map and the delay scheduler of JDK 25. */
  MAP_FJP(
      "map+fjp", 0x9b6a3d, Group.ALTERNATIVE, Traits.of(MapContender::onForkJoinPool).sinceJdk(25)),
  /** This library's timer, and watch lists of weak references. */
  WEAK_LISTS("weak-lists", 0x5b5f97, Group.RARE, Traits.of(WeakListsContender::new));

  private final String title;
  private final int rgb;
  private final Group group;
  private final Traits traits;

  Contenders(String title, int rgb, Group group, Traits traits) {
    this.title = title;
    this.rgb = rgb;
    this.group = group;
    this.traits = traits;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public int rgb() {
    return rgb;
  }

  @Override
  public Group group() {
    return group;
  }

  @Override
  public boolean isAvailable() {
    return Runtime.version().feature() >= traits.oldestJdk();
  }

  @Override
  public boolean needsDropIn() {
    return traits.needsDropIn();
  }

  /** Returns how much before its time a request may time out, by the contender's own rules. */
  public Duration earliness() {
    return traits.earliness();
  }

  /** Returns whether it has a timing wheel that can be chosen. */
  public boolean hasWheel() {
    return traits.wheels().isPresent();
  }

  /** Returns whether it can have this wheel. */
  public boolean takes(Wheel wheel) {
    return traits.wheels().filter(wheels -> wheels.take(wheel)).isPresent();
  }

  /**
   * Starts one.
   *
   * @throws UnsupportedOperationException if this JDK does not have what it needs
   */
  public Contender open(Endings endings) {
    return traits.start().apply(endings);
  }

  /**
   * Starts one with a wheel of that kind in place of its own.
   *
   * @throws IllegalArgumentException if it cannot have this wheel
   */
  public Contender open(Endings endings, Wheel wheel) {
    return traits
        .wheels()
        .filter(wheels -> wheels.take(wheel))
        .orElseThrow(() -> new IllegalArgumentException(title + " cannot have " + wheel))
        .start()
        .apply(endings, wheel);
  }

  /**
   * Finds one by its name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Contenders named(String title) {
    for (Contenders contender : values()) {
      if (contender.title.equals(title)) {
        return contender;
      }
    }
    throw new IllegalArgumentException("no contender is named " + title);
  }
}
