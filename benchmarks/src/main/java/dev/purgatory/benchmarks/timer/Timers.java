package dev.purgatory.benchmarks.timer;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.contender.Group;
import dev.purgatory.benchmarks.contender.Identity;
import java.util.function.Supplier;

/**
 * All bare timers that are compared, in the order of charts and tables. The timer of a contender
 * has the contender's color.
 *
 * <p>To add a timer, write an adapter and add a constant here. Runs, charts and the test then
 * include it.
 */
@SuppressWarnings("ImmutableEnumChecker") // The functions are stateless.
public enum Timers implements Entrant {
  /** Does nothing: costs only the measurement itself. */
  FLOOR(Contenders.FLOOR, FloorTimer::new),
  /** This library's timer. */
  PURGATORY(Contenders.PURGATORY, CoreTimer::new),
  /** The drop-in's timer, used through Kafka's API. */
  PURGATORY_KAFKA(Contenders.PURGATORY_KAFKA, KafkaTimer::new),
  /** Kafka's own timer. */
  KAFKA(Contenders.KAFKA, KafkaTimer::new),
  /** The JDK's ScheduledThreadPoolExecutor, with remove-on-cancel. */
  STPE("stpe", Contenders.MAP_STPE, ExecutorTimer::threadPool),
  /** Netty's HashedWheelTimer, with a tick of 1 ms. */
  NETTY("netty", Contenders.MAP_NETTY, NettyTimer::hashedWheel),
  /** This library's timer, as one of Netty's. */
  PURGATORY_NETTY("purgatory-netty", 0x7fb2d9, NettyTimer::purgatory),
  /** This library's timer, as a scheduled executor. */
  PURGATORY_EXECUTOR("purgatory-executor", 0x144a78, ExecutorTimer::purgatory),
  /** The delay scheduler of JDK 25. */
  FJP("fjp", Contenders.MAP_FJP, ExecutorTimer::forkJoinPool),
  /** A single ring of 1 ms buckets. Distant entries remain for several revolutions. */
  ONE_WHEEL("one-wheel", 0x8a9a2b, OneWheelTimer::new),
  /** Buckets in a sorted map, created on demand, as suggested in the redesign discussion. */
  SORTED_BUCKETS("sorted-buckets", 0x00838f, SortedBucketsTimer::new);

  private final Identity identity;
  private final Supplier<BareTimer> start;

  /** The timer of a contender, under the same name. */
  Timers(Contenders contender, Supplier<BareTimer> start) {
    this(contender.identity(), start);
  }

  /** The timer of a contender, under another name. */
  Timers(String title, Contenders contender, Supplier<BareTimer> start) {
    this(contender.identity().withTitle(title), start);
  }

  /** A timer that no contender uses. */
  Timers(String title, int rgb, Supplier<BareTimer> start) {
    this(new Identity(title, rgb, Group.RARE, Identity.ANY_JDK, false), start);
  }

  Timers(Identity identity, Supplier<BareTimer> start) {
    this.identity = identity;
    this.start = start;
  }

  @Override
  public Identity identity() {
    return identity;
  }

  /** Returns whether the timer is thread-safe. */
  public boolean isThreadSafe() {
    return this != ONE_WHEEL;
  }

  /** Returns whether the timer runs tasks: some have no thread that drives their clock. */
  public boolean runsTasks() {
    return switch (this) {
      case FLOOR, ONE_WHEEL, SORTED_BUCKETS -> false;
      default -> true;
    };
  }

  /** Starts the timer. */
  public BareTimer start() {
    return start.get();
  }

  /**
   * Returns the timer with a name.
   *
   * @throws IllegalArgumentException if no timer has this name
   */
  public static Timers named(String title) {
    for (Timers timer : values()) {
      if (timer.title().equals(title)) {
        return timer;
      }
    }
    throw new IllegalArgumentException("unknown timer: " + title);
  }
}
