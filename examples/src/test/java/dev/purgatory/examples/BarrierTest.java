package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PurgatoryExtension.class)
@Timeout(60)
class BarrierTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void allMembers_areAnsweredWhenTheLastOneComes(VirtualTime time) {
    Barrier barrier = new Barrier(time.purgatory("rounds", String.class), 2, LIMIT);
    CompletableFuture<Set<String>> first = barrier.join("r", "a");
    assertThat(first).isNotDone();
    assertThat(barrier.join("r", "b")).isCompletedWithValue(Set.of("a", "b"));
    assertThat(first).isCompletedWithValue(Set.of("a", "b"));
  }

  @Test
  void deadlineIsThatOfTheRound_andTheNextRoundBegins(VirtualTime time) {
    Barrier barrier = new Barrier(time.purgatory("rounds", String.class), 3, LIMIT);
    CompletableFuture<Set<String>> first = barrier.join("r", "a");
    time.advance(LIMIT.minusSeconds(1));
    CompletableFuture<Set<String>> second = barrier.join("r", "b");
    assertThat(second.cancel(false)).isTrue(); // ends no round
    assertThat(first).isNotDone();
    time.advance(Duration.ofSeconds(1));
    assertThat(first).isCompletedWithValue(Set.of("a", "b"));

    assertThat(barrier.join("r", "c")).isNotDone();
    time.advance(LIMIT);
  }

  @Test
  void eachMember_isInItsRound() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Purgatory<String> rounds = Purgatory.builder("rounds", String.class).build()) {
      Barrier barrier = new Barrier(rounds, 3, Duration.ofMillis(5));
      List<Future<Boolean>> members = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        String member = "m" + i;
        members.add(
            threads.submit(
                () -> {
                  Set<String> round = barrier.join("r", member).get();
                  return round.contains(member) && round.size() <= 3;
                }));
      }
      for (Future<Boolean> each : members) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
