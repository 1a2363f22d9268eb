package dev.purgatory.benchmarks.timer;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.contender.Group;
import java.util.function.Supplier;

/**
 * All timers that are compared, in the order of charts and tables. One that a contender is made of
 * has its colour.
 *
 * <p>A new timer takes an adapter and a constant here. Runs, charts and the test follow from the
 * constant.
 */
@SuppressWarnings("ImmutableEnumChecker") // The functions have no state.
public enum Timers implements Entrant {
  /** Holds nothing: its costs are those of measuring. */
  FLOOR(Contenders.FLOOR, FloorTimer::new),
  /** This library's. */
  PURGATORY(Contenders.PURGATORY, CoreTimer::new),
  /** The drop-in for Kafka's, through Kafka's API. */
  PURGATORY_KAFKA(Contenders.PURGATORY_KAFKA, KafkaTimer::new),
  /** Kafka's own. */
  KAFKA(Contenders.KAFKA, KafkaTimer::new),
  /** The JDK's ScheduledThreadPoolExecutor, with remove-on-cancel. */
  STPE("stpe", Contenders.MAP_STPE, ExecutorTimer::threadPool),
  /** Netty's HashedWheelTimer, with a tick of 1 ms. */
  NETTY("netty", Contenders.MAP_NETTY, NettyTimer::new),
  /** The delay scheduler of JDK 25. */
  FJP("fjp", Contenders.MAP_FJP, ExecutorTimer::forkJoinPool),
  /** The JDK's first. */
  JAVA_UTIL_TIMER("java.util.Timer", 0xc2549c, Threads.MANY, JdkTimer::new),
  /** Agrona's DeadlineTimerWheel, which is for one thread, with a lock around it. */
  AGRONA_LOCKED("agrona+lock", 0xb56576, Threads.MANY, AgronaTimer::new),
  /** One ring of buckets of 1 ms. Entries that are due later wait for several rounds. */
  ONE_WHEEL("one-wheel", 0x8a9a2b, Threads.ONE, OneWheelTimer::new),
  /** Buckets in a sorted map, made on demand, as proposed in the discussion of the redesign. */
  SORTED_BUCKETS("sorted-buckets", 0x00838f, Threads.MANY, SortedBucketsTimer::new);

  private final String title;
  private final int rgb;
  private final Group group;
  private final boolean available;
  private final boolean needsDropIn;
  private final Threads threads;
  private final Supplier<BareTimer> start;

  /** How many threads may use a timer at once. */
  private enum Threads {
    ONE,
    MANY
  }

  /** The timer of a contender that has the same name. */
  Timers(Contenders contender, Supplier<BareTimer> start) {
    this(contender.title(), contender, start);
  }

  /** The timer of a contender that has another name. */
  Timers(String title, Contenders contender, Supplier<BareTimer> start) {
    this.title = title;
    this.rgb = contender.rgb();
    this.group = contender.group();
    this.available = contender.isAvailable();
    this.needsDropIn = contender.needsDropIn();
    this.threads = Threads.MANY;
    this.start = start;
  }

  /** A timer that no contender is made of. */
  Timers(String title, int rgb, Threads threads, Supplier<BareTimer> start) {
    this.title = title;
    this.rgb = rgb;
    this.group = Group.RARE;
    this.available = true;
    this.needsDropIn = false;
    this.threads = threads;
    this.start = start;
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
    return available;
  }

  @Override
  public boolean needsDropIn() {
    return needsDropIn;
  }

  /** Returns whether several threads may use one at once. */
  public boolean isForManyThreads() {
    return threads == Threads.MANY;
  }

  /** Starts one. */
  public BareTimer start() {
    return start.get();
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
}
