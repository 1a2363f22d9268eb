package dev.purgatory.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import dev.purgatory.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Makes each fault, and mends it. */
class FindingTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final VirtualTime time = VirtualTime.create();
  private final Deque<Runnable> answers = new ArrayDeque<>();
  private final Purgatory<String> polls =
      time.builder("polls", String.class)
          .diagnostics(new Diagnostics())
          .completionExecutor(this::answer)
          .build();

  private boolean executorIsStuck;
  private Observation last = observe();

  @AfterEach
  void close() {
    polls.close();
    time.close();
  }

  private void answer(Runnable task) {
    if (executorIsStuck) {
      answers.add(task);
    } else {
      task.run();
    }
  }

  private Observation observe() {
    return Observation.of(polls, null, time.now().toNanos());
  }

  /** Returns what was found since the last call. */
  private List<String> findings() {
    Observation before = last;
    last = observe();
    return Finding.of(before, before, last, Object::toString).stream().map(Finding::kind).toList();
  }

  /** Holds requests on a key, makes their condition true, and says so or not. */
  private void poll(String key, int requests, boolean signals) {
    AtomicInteger messages = new AtomicInteger();
    List<HeldFuture<Integer>> held = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      held.add(
          polls.until(() -> messages.get() > 0 ? messages.get() : null).orTimeout(LIMIT).hold(key));
    }
    time.advance(Duration.ofMillis(100));
    messages.set(1);
    if (signals) {
      assertThat(polls.signal(key)).isEqualTo(requests);
    }
    time.advance(LIMIT);
    assertThat(held).allMatch(HeldFuture::isDone);
  }

  @Test
  void missingSignal_isFound_untilItIsMended() {
    poll("a", 50, true);
    assertThat(findings()).isEmpty();
    poll("a", 3, false);
    assertThat(findings()).containsExactly("missed-signal");
    poll("a", 50, true);
    assertThat(findings()).isEmpty();
  }

  @Test
  void missingSignal_namesTheKey() {
    poll("orders", 7, false);
    assertThat(Finding.of(null, null, observe(), key -> "<" + key + ">"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.title()).isEqualTo("Nobody signals <orders>");
              assertThat(finding.key()).isEqualTo("<orders>");
              assertThat(finding)
                  .hasToString(
                      "polls: Nobody signals <orders>. 7 of 7 ended requests were ready, and only the"
                          + " timeout noticed. Look for code that changes the condition without"
                          + " signal(<orders>).");
            });
  }

  @Test
  void missingSignal_isFound_ifTheConditionThrowsAtTheLimit() {
    AtomicInteger state = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      assertThat(polls.until(() -> 1 / (1 - state.get()) > 1 ? 1 : null).orTimeout(LIMIT).hold("a"))
          .isNotDone();
    }
    state.set(1);
    time.advance(LIMIT);
    assertThat(polls.pending()).isZero();
    assertThat(findings()).containsExactly("missed-signal");
  }

  @Test
  void requestThatIsCheckedAgainAndAgain_isFound_untilItEnds() {
    HeldFuture<String> busy = polls.<String>until(() -> null).forever().hold("a");
    assertThat(
            polls
                .<String>until(() -> null)
                .recheckEvery(Duration.ofNanos(100_000))
                .forever()
                .hold("b"))
        .isNotDone();
    for (int i = 0; i < 1_000; i++) {
      assertThat(polls.signal("a")).isZero();
    }
    time.advance(Duration.ofMillis(500));
    assertThat(Finding.of(null, null, observe(), Object::toString))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo("busy-condition");
              assertThat(finding.key()).isEqualTo("a");
              assertThat(finding.evidence()).contains("2,004 times each second");
            });
    time.advance(Duration.ofMillis(600));
    assertThat(findings()).as("fewer than 1,000 each second").isEmpty();
    assertThat(busy.cancel(false)).isTrue();
  }

  @Test
  void requestsThatTimeOut_areNoFinding() {
    for (int i = 0; i < 100; i++) {
      assertThat(polls.untilCompleted().orTimeout(LIMIT).hold("a")).isNotDone();
    }
    time.advance(LIMIT.plusSeconds(1));
    assertThat(polls.pending()).isZero();
    assertThat(findings()).isEmpty();
  }

  @Test
  void signalsInVain_areFound_untilTheyAreMended() {
    AtomicInteger messages = new AtomicInteger();
    for (int round = 0; round < 2; round++) {
      int vain = round == 0 ? 20 : 0;
      messages.set(0);
      for (int i = 0; i < 20; i++) {
        assertThat(
                polls.until(() -> messages.get() > 0 ? messages.get() : null).forever().hold("a"))
            .isNotDone();
      }
      for (int i = 0; i < vain; i++) {
        assertThat(polls.signal("a")).isZero();
      }
      messages.set(1);
      assertThat(polls.signal("a")).isEqualTo(20);
      if (round == 0) {
        assertThat(findings()).containsExactly("vain-checks");
      } else {
        assertThat(findings()).isEmpty();
      }
    }
  }

  @Test
  void lateTimeouts_areFound_untilTheClockIsOnTime() {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 20; i++) {
        assertThat(polls.untilCompleted().orTimeout(LIMIT).hold("a")).isNotDone();
      }
      if (round == 0) {
        time.jump(LIMIT.plusMillis(500));
        time.advance(Duration.ofMillis(1));
        assertThat(findings()).containsExactly("late-clock");
      } else {
        time.advance(LIMIT.plusMillis(1));
        assertThat(findings()).isEmpty();
      }
      assertThat(polls.pending()).isZero();
    }
  }

  @Test
  void executorThatIsBehind_isFound_untilItHasAnswered() {
    executorIsStuck = true;
    for (int i = 0; i < 200; i++) {
      assertThat(polls.untilCompleted().forever().hold("a")).isNotDone();
    }
    var before = polls.cancelForKey("a");
    assertThat(before).hasSize(200);
    assertThat(polls.inspect().unanswered()).isEqualTo(200);
    assertThat(findings()).as("it may just have begun").isEmpty();
    assertThat(findings()).containsExactly("slow-executor");
    answers.forEach(Runnable::run);
    assertThat(findings()).isEmpty();
  }

  @Test
  void keyOfMostRequests_isFound_untilOthersHaveMore() {
    for (int i = 0; i < 50; i++) {
      assertThat(polls.untilCompleted().forever().hold("other-" + i)).isNotDone();
    }
    assertThat(findings()).isEmpty();
    for (int i = 0; i < 150; i++) {
      assertThat(polls.untilCompleted().forever().hold("hot")).isNotDone();
    }
    assertThat(findings()).containsExactly("hot-key");
    assertThat(polls.cancelForKey("hot")).hasSize(150);
    assertThat(findings()).isEmpty();
    assertThat(polls.cancelAll()).hasSize(50);
  }

  private void hold(int requests, Scope... owners) {
    for (int i = 0; i < requests; i++) {
      assertThat(polls.untilCompleted().inScope(owners).forever().hold("key-" + i)).isNotDone();
    }
  }

  @Test
  void ownerOfMostRequests_isFound_untilOthersHaveMore() {
    Scope busy = Scope.of("busy");
    hold(150, busy);
    assertThat(findings()).as("the only owner").isEmpty();
    for (int i = 0; i < 18; i++) {
      hold(2, Scope.of("other-" + i));
    }
    assertThat(findings()).as("few owners").isEmpty();
    hold(2, Scope.of("another"));
    assertThat(Finding.of(null, null, observe(), each -> "<" + each + ">"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo("busy-owner");
              assertThat(finding.title())
                  .isEqualTo("More than half of the requests belong to <Scope[busy]>");
              assertThat(finding.evidence()).isEqualTo("150 of 188, of 20 owners.");
            });
    hold(112);
    assertThat(findings()).as("half of them").isEmpty();
    assertThat(polls.cancelAll()).hasSize(300);
  }

  /** All are in the scope of the server, and most in that of a tenant with many connections. */
  @Test
  void ownersOfOwners_areNoFinding() {
    Scope server = Scope.of("server");
    Scope tenant = Scope.of("tenant");
    for (int i = 0; i < 100; i++) {
      Scope connection = Scope.of("connection " + i);
      if (i < 90) {
        hold(2, server, tenant, connection);
      } else {
        hold(2, server, connection);
      }
    }
    assertThat(findings()).isEmpty();
    server.close();
    assertThat(polls.pending()).isZero();
  }

  @Test
  void signalsThatNeverAnswer_areFound_untilTheyDo() {
    for (int round = 0; round < 2; round++) {
      int signals = round == 0 ? 20 : 0;
      for (int batch = 0; batch < 2; batch++) { // the second one still waits
        for (int i = 0; i < 20; i++) {
          assertThat(polls.until(() -> null).orTimeout(LIMIT).hold("a")).isNotDone();
        }
        for (int i = 0; i < signals; i++) {
          assertThat(polls.signal("a")).isZero();
        }
        time.advance(batch == 0 ? LIMIT.plusMillis(1) : Duration.ofSeconds(3));
      }
      if (round == 0) {
        assertThat(findings()).containsExactly("vain-timeouts");
        assertThat(polls.cancelAll()).hasSize(20);
        assertThat(findings()).isEmpty();
      } else {
        assertThat(findings()).as("they only time out").isEmpty();
      }
    }
  }

  @Test
  void periodicChecks_areNoSignals() {
    for (int batch = 0; batch < 2; batch++) {
      for (int i = 0; i < 20; i++) {
        assertThat(
                polls
                    .until(() -> null)
                    .recheckEvery(Duration.ofMillis(100))
                    .orTimeout(LIMIT)
                    .hold("a"))
            .isNotDone();
      }
      time.advance(batch == 0 ? LIMIT.plusMillis(1) : Duration.ofSeconds(3));
    }
    assertThat(findings()).isEmpty();
  }

  @Test
  void periodicChecks_thatFindAnAnswer_areNoSignals() {
    AtomicInteger messages = new AtomicInteger();
    for (int i = 0; i < 20; i++) {
      assertThat(
              polls
                  .until(() -> messages.get() > 0 ? messages.get() : null)
                  .recheckEvery(Duration.ofMillis(100))
                  .orTimeout(LIMIT)
                  .hold("a"))
          .isNotDone();
    }
    time.advance(Duration.ofSeconds(3));
    messages.set(1);
    time.advance(Duration.ofMillis(100));
    assertThat(polls.pending()).isZero();
    assertThat(findings()).isEmpty();
  }

  @Test
  void limitThatIsNear_isFound_untilThereIsRoom() {
    Limit limit = Limit.builder("clients").requests(100).weight(1_000_000).build();
    try (Purgatory<String> bounded = time.builder("bounded", String.class).limit(limit).build()) {
      for (int i = 0; i < 95; i++) {
        assertThat(bounded.untilCompleted().weight(5).forever().hold("k" + i % 2)).isNotDone();
      }
      Observation first = Observation.of(bounded, null, 0);
      Observation full = Observation.of(bounded, null, 1);
      assertThat(Finding.of(null, null, first, Object::toString)).as("just now").isEmpty();
      assertThat(Finding.of(null, first, full, Object::toString))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.kind()).isEqualTo("full-limit");
                assertThat(finding.title()).isEqualTo("The limit clients is nearly reached");
                assertThat(finding.evidence()).startsWith("95 of 100 requests");
              });
      assertThat(bounded.cancelForKey("k0")).hasSize(48);
      Observation mended = Observation.of(bounded, null, 2);
      assertThat(Finding.of(null, full, mended, Object::toString)).isEmpty();
    }
  }
}
