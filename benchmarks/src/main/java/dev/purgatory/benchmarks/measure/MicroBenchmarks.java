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
 * What JMH calls in a loop, from one thread or several. Each call ends what it holds; one request
 * that cannot be answered is held all the while, on a key of its own.
 */
@State(Scope.Benchmark)
public class MicroBenchmarks {
  private static final long FOR_EVER = TimeUnit.HOURS.toMillis(1);
  private static final Key WITHOUT_WAITERS = new Key(-1);
  private static final Key WITH_A_WAITER = new Key(-2);

  /** The name of the contender. */
  @Param("floor")
  public String contender = "floor";

  /** How many keys a request waits on. */
  @Param("1")
  public int keys = 1;

  private Contender open = Contenders.FLOOR.open(new Ledger());
  private Held waiter = () -> false;
  private List<Key> list = List.of();

  /** Opens the contender. */
  @Setup(Level.Trial)
  public void open() {
    open = Contenders.named(contender).open(new Ledger());
    waiter = open.hold(Payload.of(0, 0), List.of(WITH_A_WAITER), FOR_EVER);
    list = KeyLists.of(keys).next();
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() {
    waiter.complete();
    open.close();
  }

  /** A request is held, and completed directly. */
  @Benchmark
  public boolean holdAndComplete() {
    return open.hold(Payload.of(0, 0), list, FOR_EVER).complete();
  }

  /** A request is held, and completed by an event on its first key. */
  @Benchmark
  public int holdAndCheck() {
    byte[] payload = Payload.of(0, 0);
    open.hold(payload, list, FOR_EVER);
    Payload.makeAnswerable(payload);
    return open.check(list.get(0));
  }

  /** An event that nobody waits for. */
  @Benchmark
  public int checkWithoutWaiters() {
    return open.check(WITHOUT_WAITERS);
  }

  /** An event that does not make the one request answerable that waits for it. */
  @Benchmark
  public int checkWithAWaiter() {
    return open.check(WITH_A_WAITER);
  }
}
