package dev.purgatory.benchmarks.timer;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** All timers that are compared, by the names that people and charts know them by. */
public enum Timers {
  /** Keeps nothing, and so costs what the measuring costs. */
  FLOOR("floor"),
  /** This project's. */
  PURGATORY("purgatory"),
  /** This project's drop-in for Kafka's, through Kafka's API. */
  PURGATORY_KAFKA("purgatory-kafka"),
  /** Kafka's own. */
  KAFKA("kafka"),
  /** Netty's HashedWheelTimer, with a tick of 1 ms. */
  NETTY("netty"),
  /** The JDK's ScheduledThreadPoolExecutor, with remove-on-cancel. */
  STPE("stpe"),
  /** The delay scheduler of JDK 25. */
  FJP("fjp"),
  /** The JDK's first. */
  JAVA_UTIL_TIMER("java.util.Timer"),
  /** Agrona's DeadlineTimerWheel, which is for one thread, with a lock around it. */
  AGRONA_LOCKED("agrona+lock"),
  /** One ring of buckets of 1 ms, in which entries wait for as many rounds as it takes. */
  ONE_WHEEL("one-wheel"),
  /** Buckets in a sorted map, made on demand: what the discussion of the redesign proposes. */
  SORTED_BUCKETS("sorted-buckets");

  private static final int JDK_OF_DELAY_SCHEDULER = 25;

  private final String title;

  Timers(String title) {
    this.title = title;
  }

  /** The name. */
  public String title() {
    return title;
  }

  /** Whether this JDK has what it takes. */
  public boolean isAvailable() {
    return this != FJP || Runtime.version().feature() >= JDK_OF_DELAY_SCHEDULER;
  }

  /** Whether several threads may use one at once. */
  public boolean isForManyThreads() {
    return this != ONE_WHEEL;
  }

  /**
   * Finds one by its name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Timers named(String title) {
    for (Timers timer : values()) {
      if (timer.title.equals(title)) {
        return timer;
      }
    }
    throw new IllegalArgumentException("no timer is named " + title);
  }

  /** Starts one. */
  public BareTimer start() {
    return switch (this) {
      case FLOOR -> new FloorTimer();
      case PURGATORY -> new CoreTimer();
      case PURGATORY_KAFKA, KAFKA -> new KafkaTimer();
      case NETTY -> new NettyTimer();
      case STPE -> new ExecutorTimer(threadPool());
      case FJP -> new ExecutorTimer(forkJoin());
      case JAVA_UTIL_TIMER -> new JdkTimer();
      case AGRONA_LOCKED -> new AgronaTimer();
      case ONE_WHEEL -> new OneWheelTimer();
      case SORTED_BUCKETS -> new SortedBucketsTimer();
    };
  }

  private static ScheduledExecutorService threadPool() {
    ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }

  private static ScheduledExecutorService forkJoin() {
    Object pool = new ForkJoinPool(1);
    return (ScheduledExecutorService) pool;
  }
}
