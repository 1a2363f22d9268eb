package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.contender.Group;
import dev.purgatory.benchmarks.contender.Identity;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The contenders of a task, in the order of charts and tables.
 *
 * <p>To add a contender, write an adapter and add it here. Runs, charts and the contract test then
 * include it.
 *
 * @param <T> the task
 * @param rivals the contenders; {@code purgatory} is the way this library recommends
 */
public record Lineup<T>(List<Rival<T>> rivals) {
  private static final int SKIP_LIST = 0x3a8f5c;
  private static final int NETTY = Contenders.MAP_NETTY.rgb();
  private static final int THREAD_POOL = Contenders.MAP_STPE.rgb();
  private static final int OR_TIMEOUT = 0xc2549c;
  private static final int SWEPT = 0xb56576;

  /** Waiting for a number. */
  public static final Lineup<NumberWaiters> NUMBERS =
      new Lineup<>(
          List.of(
              ours(ThresholdWaiters::new),
              other("skip list+netty", SKIP_LIST, SkipListWaiters::new)));

  /** Replies by id. */
  public static final Lineup<ReplyTable> REPLIES =
      new Lineup<>(
          List.of(
              ours(OwnReplies::new),
              other("map+orTimeout", OR_TIMEOUT, OrTimeoutReplies::new),
              other("map+netty", NETTY, NettyReplies::new),
              other("map+stpe", THREAD_POOL, ThreadPoolReplies::new)));

  /** Timeouts on stages. */
  public static final Lineup<StageTimeouts> STAGE_TIMEOUTS =
      new Lineup<>(
          List.of(
              ours(OwnStageTimeouts::new),
              other("orTimeout", OR_TIMEOUT, JdkStageTimeouts::onTheStage),
              other("copy+orTimeout", SWEPT, JdkStageTimeouts::onACopy)));

  /** Sessions that expire unless they are touched. */
  public static final Lineup<SessionTable.Start> SESSIONS =
      new Lineup<>(
          List.of(
              ours(() -> OwnSessions::new),
              other("map+netty", NETTY, () -> NettySessions::new),
              other("map+sweep", SWEPT, () -> SweptSessions::new)));

  /** Copies the list. */
  public Lineup {
    rivals = List.copyOf(rivals);
  }

  private static <T> Rival<T> ours(Supplier<T> start) {
    return new Rival<>(Contenders.PURGATORY.identity(), start);
  }

  private static <T> Rival<T> other(String title, int rgb, Supplier<T> start) {
    return new Rival<>(new Identity(title, rgb, Group.ALTERNATIVE, Identity.ANY_JDK, false), start);
  }

  /** Returns the contenders of all tasks. */
  public static List<Entrant> everybody() {
    return Stream.of(NUMBERS, REPLIES, STAGE_TIMEOUTS, SESSIONS)
        .flatMap(lineup -> lineup.rivals().stream())
        .<Entrant>map(rival -> rival)
        .toList();
  }

  /**
   * Starts a contender.
   *
   * @throws IllegalArgumentException if no contender has this name
   */
  public T start(String title) {
    return rivals.stream()
        .filter(rival -> rival.title().equals(title))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown contender: " + title))
        .start()
        .get();
  }
}
