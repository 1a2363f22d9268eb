package dev.purgatory.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import dev.purgatory.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InMemorySignalsTest {
  private final VirtualTime time = VirtualTime.create();
  private final InMemorySignals network = new InMemorySignals();
  private final Map<String, String> database = new ConcurrentHashMap<>();
  private final Purgatory<String> pollsOfA = time.purgatory("a", String.class);
  private final Purgatory<String> pollsOfB = time.purgatory("b", String.class);
  private final SharedSignals a = network.connect(pollsOfA::signal, (key, number) -> {});
  private final SharedSignals b = network.connect(pollsOfB::signal, (key, number) -> {});
  private final Orders ordersOfA = new Orders(database, pollsOfA, a);
  private final Orders ordersOfB = new Orders(database, pollsOfB, b);

  @AfterEach
  void close() {
    time.assertNothingPending();
    time.assertNoErrors();
    time.close();
  }

  @Test
  void signal_wakesTheWaitersOfAllInstances() {
    HeldFuture<String> here = ordersOfA.untilPaid("1");
    HeldFuture<String> there = ordersOfB.untilPaid("1");
    HeldFuture<String> other = ordersOfB.untilPaid("2");
    ordersOfA.onPaid("1", "receipt");
    assertThat(here).isCompletedWithValue("receipt");
    assertThat(there).isCompletedWithValue("receipt");
    assertThat(other).isNotDone();
    time.advance(Duration.ofSeconds(30));
    assertThat(other).isCompletedExceptionally();
  }

  @Test
  void lostSignal_isMadeUpFor() {
    HeldFuture<String> there = ordersOfB.untilPaid("1");
    a.close();
    ordersOfA.onPaid("1", "receipt");
    assertThat(there).isNotDone();
    time.advance(Duration.ofSeconds(10));
    assertThat(there).isCompletedWithValue("receipt");
  }

  @Test
  void advance_reachesThresholdsWithKeysOfAnotherType() {
    Purgatory<Integer> purgatory = time.purgatory("numbers", Integer.class);
    Thresholds<Integer> applied = new Thresholds<>(purgatory);
    SharedSignals ofNumbers = Orders.ofNumbers(network, applied);
    HeldFuture<Long> reached = applied.reach(3, 7).forever().hold();
    CompletionStage<Void> unused = a.advance("3", 6);
    assertThat(reached).isNotDone();
    unused = a.advance("3", 7);
    unused = ofNumbers.advance("3", 5);
    assertThat(reached).isCompletedWithValue(7L);
    assertThatThrownBy(() -> a.advance("3", Long.MIN_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(applied.number(3)).isEqualTo(7);
  }

  @Test
  void receiverThatThrows_stopsNoOther() {
    List<String> received = new ArrayList<>();
    SharedSignals broken =
        network.connect(
            key -> {
              throw new IllegalStateException("thrown by a test");
            },
            (key, number) -> {});
    SharedSignals last = network.connect(received::add, (key, number) -> {});
    assertThat(a.signal("1").toCompletableFuture()).isCompletedWithValue(null);
    assertThat(broken.signal("2").toCompletableFuture()).isCompletedWithValue(null);
    last.close();
    assertThat(a.signal("3").toCompletableFuture()).isCompletedWithValue(null);
    assertThat(received).containsExactly("1", "2");
  }

  @Test
  void closedInstance_receivesWhatItSignalsItself() {
    HeldFuture<String> here = ordersOfA.untilPaid("1");
    a.close();
    database.put("1", "receipt");
    assertThat(a.signal("1").toCompletableFuture()).isCompletedExceptionally();
    assertThat(here).isCompletedWithValue("receipt");
  }
}
