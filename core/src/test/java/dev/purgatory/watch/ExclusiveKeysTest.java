package dev.purgatory.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.purgatory.testing.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExclusiveKeysTest {
  private final WatchLists<Object> hidden = new WatchLists<>(0, Runnable::run);
  private final ExclusiveKeys<Object> keys = new ExclusiveKeys<>("rpc", hidden, Runnable::run);

  private static TestWaiter waiter(Object key) {
    return new TestWaiter(key);
  }

  /** Ends a waiter as a registration does. */
  private void end(TestWaiter waiter) {
    waiter.end = true;
    keys.release(waiter);
    hidden.clear(waiter);
  }

  @Test
  void secondWaiterOnAKey_isRefused_untilTheFirstIsReleased() {
    TestWaiter first = waiter("k");
    keys.watch(List.of("k"), first);
    assertThat(keys.get("k")).isSameAs(first);
    assertThat(keys.watched()).isEqualTo(1);
    assertThatIllegalStateException()
        .isThrownBy(() -> keys.checkFree(List.of("k")))
        .withMessage("rpc: k is awaited already");
    assertThatIllegalStateException()
        .isThrownBy(() -> keys.watch(List.of("k"), waiter("k")))
        .withMessage("rpc: k is awaited already");
    end(first);
    assertThat(keys.get("k")).isNull();
    assertThat(keys.keys()).isZero();
    keys.checkFree(List.of("k"));
    keys.watch(List.of("k"), waiter("k"));
  }

  @Test
  void waiterHasEnded_andIsNotReleasedYet_anotherTakesItsPlace() {
    TestWaiter former = waiter("k");
    keys.watch(List.of("k"), former);
    former.end = true;
    keys.checkFree(List.of("k"));
    TestWaiter next = waiter("k");
    keys.watch(List.of("k"), next);
    end(former);
    assertThat(keys.get("k")).isSameAs(next);
  }

  @Test
  void waiterEndsBeforeItIsThere_isNotKept() {
    TestWaiter waiter = waiter("k");
    end(waiter);
    keys.watch(List.of("k", new HiddenKey("scope")), waiter);
    assertThat(keys.keys()).isZero();
    assertThat(keys.watched()).isZero();
  }

  @Test
  void waiterOnAHiddenKey_isOnItsList() {
    TestWaiter waiter = waiter("k");
    HiddenKey scope = new HiddenKey("scope");
    TestWaiter other = waiter("l");
    keys.watch(List.of("k", scope), waiter);
    keys.watch(List.of("l", scope), other);
    Waiters onScope = keys.get(scope);
    List<Waiter> found = new ArrayList<>();
    assertThat(onScope).isNotNull().satisfies(list -> list.walk(found::add));
    assertThat(found).containsExactly(waiter, other);
    assertThat(keys.keys()).isEqualTo(3);
    end(waiter);
    end(other);
    hidden.purge();
    assertThat(keys.keys()).isZero();
    assertThat(keys.watched()).isZero();
  }

  @Test
  void checkNumber_notOneKey_isRefused() {
    keys.checkNumber(1);
    for (int wrong : new int[] {0, 2}) {
      assertThatIllegalArgumentException().isThrownBy(() -> keys.checkNumber(wrong));
    }
  }

  /** A key that cannot be hashed any more. */
  private static final class Failing {
    private boolean fails;

    @Override
    public int hashCode() {
      if (fails) {
        throw new IllegalStateException("the hash code fails");
      }
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Test
  void keyThatThrows_isReleasedWithTheMap() {
    Failing key = new Failing();
    TestWaiter waiter = waiter(key);
    TestWaiter other = waiter("other");
    keys.watch(List.of(key), waiter);
    keys.watch(List.of("other"), other);
    key.fails = true;
    end(waiter);
    assertThat(keys.keys()).isEqualTo(1);
    assertThat(keys.get("other")).isSameAs(other);
  }

  @Test
  void burstOfKeys_mapIsExchanged_butNotWhileKeysComeAndGo() {
    Object map = keys.map.table();
    for (int i = 0; i < 100_000; i++) {
      TestWaiter waiter = waiter(i);
      keys.watch(List.of(i), waiter);
      end(waiter);
    }
    assertThat(keys.map.table()).isSameAs(map);
    List<TestWaiter> waiters = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      waiters.add(waiter(i));
      keys.watch(List.of(i), waiters.get(i));
    }
    waiters.forEach(this::end);
    assertThat(keys.map.table()).isNotSameAs(map);
  }

  @Test
  void watch_racesWithItself_oneCallSucceeds() throws InterruptedException {
    AtomicInteger accepted = new AtomicInteger();
    AtomicLong missed = new AtomicLong();
    Threads.Task task =
        () -> {
          for (int i = 0; i < 20_000; i++) {
            TestWaiter waiter = waiter(i % 10);
            try {
              keys.watch(List.of(i % 10), waiter);
            } catch (IllegalStateException e) {
              continue; // another thread was faster
            }
            accepted.incrementAndGet();
            missed.addAndGet(keys.get(i % 10) == waiter ? 0 : 1);
            end(waiter);
          }
        };
    Threads.race(task, task, task);
    assertThat(missed).hasValue(0);
    assertThat(accepted).hasPositiveValue();
    assertThat(keys.keys()).isZero();
  }
}
