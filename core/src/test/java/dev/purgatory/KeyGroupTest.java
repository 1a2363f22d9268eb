package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyGroupTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<Integer> fetches =
      Purgatory.builder("fetches", Integer.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();
  private final AtomicInteger data = new AtomicInteger();

  @AfterEach
  void nothingIsLeft() {
    fetches.close();
    assertThat(fetches.pending()).isZero();
    assertThat(timer.size()).isZero();
    assertThat(fetches.inspect().watched()).isZero();
    assertThat(fetches.inspect().keys()).isZero();
  }

  private HeldFuture<Integer> fetch(KeyGroup<Integer> keys) {
    return fetches.until(this::take).orTimeout(LIMIT).hold(keys);
  }

  private @Nullable Integer take() {
    int left = data.getAndUpdate(n -> Math.max(0, n - 1));
    return left == 0 ? null : left;
  }

  @Test
  void signalOnAnyKeyOfTheGroup_reachesItsRequests() {
    try (KeyGroup<Integer> session = fetches.group(IntStream.range(0, 1_000).boxed().toList())) {
      for (int key : List.of(0, 500, 999)) {
        HeldFuture<Integer> fetch = fetch(session);
        assertThat(fetches.signal(key)).isZero();
        data.set(1);
        assertThat(fetches.signal(1_000)).isZero();
        assertThat(fetches.signal(key)).isEqualTo(1);
        assertThat(fetch).isCompletedWithValue(1);
      }
    }
  }

  @Test
  void holdingOnAGroup_addsOneEntry_andNotOnePerKey() {
    try (KeyGroup<Integer> session = fetches.group(IntStream.range(0, 1_000).boxed().toList())) {
      assertThat(fetches.inspect().watched()).isEqualTo(1_000);
      List<HeldFuture<Integer>> held = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        held.add(fetch(session));
      }
      assertThat(fetches.inspect().watched()).isEqualTo(1_100);
      assertThat(fetches.pending()).isEqualTo(100);
      data.set(100);
      assertThat(fetches.signal(7)).isEqualTo(100);
      assertThat(held).allSatisfy(each -> assertThat(each).isDone());
      fetches.core().purge();
      assertThat(fetches.inspect().watched()).isEqualTo(1_000);
    }
  }

  @Test
  void requestsOnTheKeyItself_comeFirst_andCountForTheMost() {
    try (KeyGroup<Integer> session = fetches.group(List.of(1, 2, 2))) {
      assertThat(session.keys()).containsExactlyInAnyOrder(1, 2);
      HeldFuture<Integer> onGroup = fetch(session);
      HeldFuture<Integer> onGroupToo = fetch(session);
      HeldFuture<Integer> onKey = fetches.until(this::take).orTimeout(LIMIT).hold(1);
      data.set(3);
      assertThat(fetches.signalAtMost(1, 2)).isEqualTo(2);
      assertThat(onKey).isDone();
      assertThat(onGroup).isDone();
      assertThat(onGroupToo).isNotDone();
      assertThat(fetches.signalAtMost(2, 5)).isEqualTo(1);
    }
  }

  @Test
  void endingByKey_endsRequestsOnGroups_andCancelAllDoes_once() {
    try (KeyGroup<Integer> session = fetches.group(List.of(1, 2, 3))) {
      HeldFuture<Integer> first = fetch(session);
      assertThat(fetches.failForKey(2, new IllegalStateException("moved"))).hasSize(1);
      assertThat(first).isCompletedExceptionally();
      HeldFuture<Integer> second = fetch(session);
      assertThat(fetches.cancelAll()).containsExactly(second);
    }
  }

  @Test
  void closedGroup_isNoLongerSignalled_andRefusesRequests() {
    KeyGroup<Integer> session = fetches.group(List.of(1, 2));
    HeldFuture<Integer> held = fetch(session);
    session.close();
    session.close();
    data.set(1);
    assertThat(fetches.signal(1)).isZero();
    assertThatThrownBy(() -> fetch(session))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed: KeyGroup[");
    data.set(0);
    ticker.advance(LIMIT);
    timer.advance();
    assertThat(held).isCompletedExceptionally();
  }

  @Test
  void operations_areHeldOnGroups_inScopesToo() {
    Scope connection = Scope.of("connection");
    try (KeyGroup<Integer> session = fetches.group(List.of(1, 2))) {
      RecordingOperation operation = new RecordingOperation(LIMIT);
      assertThat(fetches.hold(operation, session, connection)).isFalse();
      assertThat(fetches.signal(1)).isZero();
      operation.condition(true);
      assertThat(fetches.signal(2)).isEqualTo(1);
      RecordingOperation next = new RecordingOperation(LIMIT);
      assertThat(fetches.hold(next, session, connection)).isFalse();
      connection.close();
      assertThat(next.outcome()).isEqualTo(Outcome.CANCELLED);
    }
  }

  @Test
  void groupOfAnotherPurgatory_isRefused() {
    Purgatory<Integer> other = Purgatory.builder("other", Integer.class).timer(timer).build();
    try (KeyGroup<Integer> session = other.group(List.of(1, 2))) {
      assertThatThrownBy(() -> fetch(session))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a key group of another purgatory: KeyGroup[");
      RecordingOperation operation = new RecordingOperation(LIMIT);
      assertThatThrownBy(() -> fetches.hold(operation, session))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(operation.outcome()).isNull();
      assertThat(fetches.hold(operation, 1)).isFalse(); // it was not handed to a purgatory
      assertThat(operation.cancel()).isTrue();
    }
    other.close();
  }

  @Test
  void groupAsAnOrdinaryKey_isAKeyOfItsOwn() {
    Purgatory<Object> any = Purgatory.builder("any", Object.class).timer(timer).build();
    try (KeyGroup<Object> session = any.group(List.of(1, 2))) {
      HeldFuture<String> on = any.<String>until(() -> null).orTimeout(LIMIT).hold(session);
      HeldFuture<String> key =
          any.<String>until(() -> null).orTimeout(LIMIT).hold(new Object[] {session});
      assertThat(any.cancelForKey(session)).containsExactly(key);
      assertThat(on).isNotDone();
    }
    any.close();
  }

  @Test
  void badKeys_areRefused() {
    assertThatThrownBy(() -> fetches.group(List.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fetches.group(Arrays.asList(1, null)))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void noSignalIsLost_whileRequestsAreHeldOnTheGroup() throws Exception {
    try (KeyGroup<Integer> session = fetches.group(List.of(1, 2, 3))) {
      Threads.repeat(
          2_000,
          round -> {
            List<HeldFuture<Integer>> held = new CopyOnWriteArrayList<>();
            Threads.race(
                () -> held.add(fetch(session)),
                () -> {
                  data.incrementAndGet();
                  fetches.signal(2);
                });
            assertThat(held).hasSize(1).allSatisfy(each -> assertThat(each).isDone());
          });
    }
  }
}
