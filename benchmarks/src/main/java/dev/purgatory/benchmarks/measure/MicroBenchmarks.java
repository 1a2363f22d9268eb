package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.workload.Ledger;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The JMH benchmarks. Each call ends the request that it holds. In addition, one request that
 * cannot be answered is held all the time, on a separate key.
 */
@State(Scope.Benchmark)
public class MicroBenchmarks {
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final Key WITHOUT_WAITERS = new Key(-1);
  private static final Key WITH_A_WAITER = new Key(-2);

  /** The name of the contender. */
  @Param("floor")
  public String contender = "floor";

  /** The number of keys of a request. */
  @Param("1")
  public int keys = 1;

  private Contender open = Contenders.FLOOR.open(new Ledger());
  private Held waiter = () -> false;
  private List<Key> list = List.of();

  /** Opens the contender. */
  @Setup(Level.Trial)
  public void open() {
    open = Contenders.named(contender).open(new Ledger());
    waiter = open.hold(Payload.of(0, 0), List.of(WITH_A_WAITER), LONG_MILLIS);
    list = KeyLists.of(keys).next();
  }

  /** Closes the contender. */
  @TearDown(Level.Trial)
  public void close() {
    waiter.complete();
    open.close();
  }

  /** Holds a request and completes it directly. */
  @Benchmark
  public boolean holdAndComplete() {
    return open.hold(Payload.of(0, 0), list, LONG_MILLIS).complete();
  }

  /** Holds a request and completes it by an event on its first key. */
  @Benchmark
  public int holdAndCheck() {
    byte[] payload = Payload.of(0, 0);
    open.hold(payload, list, LONG_MILLIS);
    Payload.makeAnswerable(payload);
    return open.check(list.get(0));
  }

  /** Checks a key without waiters. */
  @Benchmark
  public int checkWithoutWaiters() {
    return open.check(WITHOUT_WAITERS);
  }

  /** Checks a key with one waiter that cannot be answered. */
  @Benchmark
  public int checkWithAWaiter() {
    return open.check(WITH_A_WAITER);
  }
}
