package dev.purgatory.benchmarks.contender;

/** Everyone who holds requests, by the names that people and charts know them by. */
public enum Contenders {
  /** Holds nothing, and so costs what the measuring costs. */
  FLOOR("floor"),
  /** This project's. */
  PURGATORY("purgatory"),
  /** This project's drop-in for Kafka, through Kafka's API: a matter of the class path. */
  PURGATORY_KAFKA("purgatory-kafka"),
  /** Kafka's own. */
  KAFKA("kafka"),
  /** Kafka's old design, of 0.8. */
  DELAY_QUEUE("delay-queue"),
  /** A map and a ScheduledThreadPoolExecutor. */
  MAP_STPE("map+stpe"),
  /** A map and Netty's HashedWheelTimer. */
  MAP_NETTY("map+netty"),
  /** A map and the delay scheduler of JDK 25. */
  MAP_FJP("map+fjp"),
  /** This project's timer, and watch lists of weak references. */
  WEAK_LISTS("weak-lists");

  private static final int JDK_OF_DELAY_SCHEDULER = 25;

  private final String title;

  Contenders(String title) {
    this.title = title;
  }

  /** The name. */
  public String title() {
    return title;
  }

  /** Whether this JDK has what it takes. */
  public boolean isAvailable() {
    return this != MAP_FJP || Runtime.version().feature() >= JDK_OF_DELAY_SCHEDULER;
  }

  /** Whether the drop-in has to come first on the class path. */
  public boolean needsDropIn() {
    return this == PURGATORY_KAFKA;
  }

  /**
   * Starts one.
   *
   * @throws UnsupportedOperationException if this JDK does not have what it takes
   */
  public Contender open(Endings endings) {
    return switch (this) {
      case FLOOR -> new FloorContender(endings);
      case PURGATORY -> new PurgatoryContender(endings);
      case PURGATORY_KAFKA, KAFKA -> new KafkaContender(endings);
      case DELAY_QUEUE -> new DelayQueueContender(endings);
      case MAP_STPE -> new MapContender(endings, ExecutorTimeouts.threadPool());
      case MAP_NETTY -> new MapContender(endings, new NettyTimeouts());
      case MAP_FJP -> new MapContender(endings, ExecutorTimeouts.forkJoin());
      case WEAK_LISTS -> new WeakListsContender(endings);
    };
  }

  /** Whether it has a timing wheel that can be chosen. */
  public boolean hasWheel() {
    return switch (this) {
      case PURGATORY, PURGATORY_KAFKA, KAFKA, MAP_NETTY -> true;
      default -> false;
    };
  }

  /** Whether it can have this wheel. All but our own count in milliseconds. */
  public boolean takes(Wheel wheel) {
    return hasWheel() && (this == PURGATORY || wheel.isInMillis());
  }

  /**
   * Starts one with a wheel of that kind in place of its own.
   *
   * @throws IllegalArgumentException if it cannot have this wheel
   */
  public Contender open(Endings endings, Wheel wheel) {
    if (!takes(wheel)) {
      throw new IllegalArgumentException(title + " cannot have " + wheel);
    }
    return switch (this) {
      case PURGATORY -> new PurgatoryContender(endings, wheel);
      case MAP_NETTY -> new MapContender(endings, new NettyTimeouts(wheel));
      default -> new KafkaContender(endings, wheel);
    };
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
