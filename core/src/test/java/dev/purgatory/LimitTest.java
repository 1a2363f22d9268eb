package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LimitTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Purgatory<?>> purgatories = new ArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();

  private Purgatory<String> purgatory(Limit... limits) {
    PurgatoryBuilder<String> builder =
        Purgatory.builder("polls", String.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .listener(
                new PurgatoryListener() {
                  @Override
                  public void onRefused(Object operation, RuntimeException reason) {
                    refused.incrementAndGet();
                  }
                });
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    Purgatory<String> purgatory = builder.build();
    purgatories.add(purgatory);
    return purgatory;
  }

  @Test
  void purgatory_namesItsLimits() {
    Limit requests = Limit.builder("requests").requests(7).build();
    Limit weight = Limit.builder("weight").weight(9).build();
    assertThat(purgatory(requests, weight).inspect().limits()).containsExactly(requests, weight);
    assertThat(purgatory().inspect().limits()).isEmpty();
    assertThat(requests.name()).isEqualTo("requests");
    assertThat(requests.mostRequests()).isEqualTo(7);
    assertThat(requests.mostWeight()).isEqualTo(Long.MAX_VALUE);
    assertThat(weight.mostWeight()).isEqualTo(9);
    assertThat(weight.mostRequests()).isEqualTo(Long.MAX_VALUE);
  }

  @AfterEach
  void nothingIsLeft() {
    purgatories.forEach(Purgatory::close);
    assertThat(purgatories).allSatisfy(each -> assertThat(each.pending()).isZero());
    assertThat(timer.size()).isZero();
  }

  private static HeldFuture<String> poll(Purgatory<String> in, long weight, Scope... scopes) {
    return in.<String>until(() -> null).weight(weight).inScope(scopes).orTimeout(TIMEOUT).hold("a");
  }

  private static void assertRefused(CompletableFuture<?> future, String limit) {
    assertThat(future).isCompletedExceptionally();
    assertThatThrownBy(future::join)
        .cause()
        .isInstanceOfSatisfying(
            LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(limit));
  }

  @Test
  void requestOverTheCount_isRefused_untilOneEnds() {
    Limit limit = Limit.builder("polls").requests(2).build();
    Purgatory<String> polls = purgatory(limit);
    HeldFuture<String> first = poll(polls, 1);
    HeldFuture<String> second = poll(polls, 1);
    HeldFuture<String> third = poll(polls, 1);
    assertRefused(third, "polls");
    assertThat(third.outcome()).isEqualTo(Outcome.FAILED);
    assertThatThrownBy(third::join).hasMessageContaining("requests 2 of 2");
    assertThat(refused).hasValue(1);
    assertThat(first.cancel(false)).isTrue();
    assertThat(limit.requests()).isEqualTo(1);
    assertThat(poll(polls, 1)).isNotDone();
    ticker.advance(TIMEOUT);
    timer.advance();
    assertThat(second).isCompletedExceptionally();
    assertThat(limit.requests()).isZero();
  }

  @Test
  void requestOverTheWeight_isRefused_aLighterOneIsHeld() {
    Limit limit = Limit.builder("bytes").weight(100).build();
    Purgatory<String> polls = purgatory(limit);
    HeldFuture<String> heavy = poll(polls, 60);
    assertRefused(poll(polls, 41), "bytes");
    HeldFuture<String> light = poll(polls, 40);
    assertThat(light).isNotDone();
    assertThat(limit.weight()).isEqualTo(100);
    assertThat(heavy.complete("x")).isTrue();
    assertThat(limit.weight()).isEqualTo(40);
    assertRefused(poll(polls, Long.MAX_VALUE), "bytes");
    assertThat(limit).hasToString("Limit[bytes, requests 1, weight 40 of 100]");
  }

  @Test
  void whatIsAnsweredAtOnce_needsNoPlace() {
    Limit limit = Limit.builder("polls").requests(1).build();
    Purgatory<String> polls = purgatory(limit);
    assertThat(poll(polls, 1)).isNotDone();
    assertThat(polls.until(() -> "now").forever().hold("a")).isCompletedWithValue("now");
    assertThat(limit.requests()).isEqualTo(1);
  }

  @Test
  void requestUnderTheSameLimitTwice_takesOnePlace() {
    Limit limit = Limit.builder("tenant").requests(1).evictOldest().build();
    Purgatory<String> polls = purgatory(limit, limit);
    Scope connection = Scope.of("connection", limit);
    HeldFuture<String> first = poll(polls, 3, connection, Scope.of("session", limit));
    assertThat(first).isNotDone();
    assertThat(limit.requests()).isEqualTo(1);
    assertThat(limit.weight()).isEqualTo(3);
    assertThat(first.cancel(false)).isTrue();
    assertThat(limit.requests()).isZero();
  }

  @Test
  void ownersHaveLimitsOfTheirOwn_whichSeveralPurgatoriesShare() {
    Limit all = Limit.builder("all").requests(3).build();
    Purgatory<String> polls = purgatory(all);
    Purgatory<String> writes = purgatory(all);
    Scope client = Scope.of("client 7", Limit.builder("client 7").requests(1).build());
    assertThat(poll(polls, 1, client)).isNotDone();
    assertRefused(poll(writes, 1, client), "client 7");
    assertThat(all.requests()).isEqualTo(1);
    assertThat(poll(writes, 1)).isNotDone();
    assertThat(poll(polls, 1)).isNotDone();
    assertRefused(poll(writes, 1), "all");
    client.close();
    assertThat(all.requests()).isEqualTo(2);
  }

  @Test
  void evictOldest_failsAsManyOldOnesAsNeeded() {
    Limit limit = Limit.builder("bytes").weight(100).evictOldest().build();
    Purgatory<String> polls = purgatory(limit);
    HeldFuture<String> first = poll(polls, 30);
    HeldFuture<String> second = poll(polls, 30);
    HeldFuture<String> third = poll(polls, 40);
    assertThat(second.complete("x")).isTrue();
    HeldFuture<String> fourth = poll(polls, 80);
    assertRefused(first, "bytes");
    assertRefused(third, "bytes");
    assertThat(fourth).isNotDone();
    assertThat(limit.weight()).isEqualTo(80);
    assertRefused(poll(polls, 101), "bytes");
    assertThat(fourth).isNotDone();
    assertThat(polls.pending()).isEqualTo(1);
  }

  @Test
  void refusedRequest_evictsNobody_whicheverLimitRefusesIt() {
    Limit all = Limit.builder("all").weight(10).evictOldest().build();
    Limit one = Limit.builder("one").requests(1).build();
    Limit small = Limit.builder("small").weight(5).evictOldest().build();
    Purgatory<String> polls = purgatory(all);
    Purgatory<String> few = purgatory(one);
    Scope client = Scope.of("client", one);
    List<HeldFuture<String>> others = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      others.add(poll(polls, 1));
    }
    HeldFuture<String> own = poll(polls, 1, client);
    assertRefused(poll(polls, 10, client), "one");
    assertRefused(poll(few, 1, Scope.of("owner", all)), "one");
    assertRefused(poll(polls, 6, Scope.of("owner", small)), "small");
    assertThat(others).noneSatisfy(each -> assertThat(each).isDone());
    assertThat(own).isNotDone();
    assertThat(all).hasToString("Limit[all, requests 10, weight 10 of 10]");
    assertThat(one.requests()).isEqualTo(1);
    assertThat(small.requests()).isZero();
    assertThat(refused).hasValue(3);
  }

  @Test
  void replyWhoseIdIsInUse_evictsNobody() {
    Limit limit = Limit.builder("two").requests(2).evictOldest().build();
    Replies<String, String> replies =
        Replies.<String, String>builder("rpc", String.class, String.class)
            .timer(timer)
            .limit(limit)
            .rememberEnded(TIMEOUT, 10, late -> {})
            .build();
    HeldFuture<String> first = replies.expect("a", TIMEOUT);
    HeldFuture<String> second = replies.expect("b", TIMEOUT);
    assertThatThrownBy(() -> replies.expect("b", TIMEOUT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("b is awaited already");
    assertThat(first).isNotDone();
    assertThat(second.cancel(false)).isTrue();
    HeldFuture<String> third = replies.expect("b", TIMEOUT);
    assertThat(first).isNotDone();
    assertThat(third).isNotDone();
    assertThat(limit.requests()).isEqualTo(2);
    replies.close();
  }

  @Test
  void refusal_givesBackTheOtherPlaces_beforeItIsTold() {
    Limit first = Limit.builder("first").requests(2).build();
    Limit second = Limit.builder("second").requests(1).build();
    List<Long> seen = new ArrayList<>();
    Purgatory<String> polls =
        Purgatory.builder("polls", String.class)
            .timer(timer)
            .limit(first)
            .limit(second)
            .listener(
                new PurgatoryListener() {
                  @Override
                  public void onRefused(Object operation, RuntimeException reason) {
                    seen.add(first.requests());
                  }
                })
            .build();
    assertThat(poll(polls, 1)).isNotDone();
    assertRefused(poll(polls, 1), "second");
    assertThat(seen).containsExactly(1L);
    polls.close();
  }

  @Test
  void requestThatDoesNotWait_takesNoPlace_andEvictsNobody() {
    Limit limit = Limit.builder("polls").requests(1).evictOldest().build();
    Purgatory<String> polls = purgatory(limit);
    HeldFuture<String> first = poll(polls, 1);
    HeldFuture<String> none =
        polls.<String>until(() -> null).orAfter(Duration.ZERO, () -> "none").hold("a");
    RecordingOperation operation = new RecordingOperation(Duration.ZERO);
    assertThat(polls.hold(operation, "a")).isFalse();
    timer.advance();
    assertThat(none).isCompletedWithValue("none");
    assertThat(operation.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(first).isNotDone();
    assertThat(limit.requests()).isEqualTo(1);
    assertThat(refused).hasValue(0);
  }

  @Test
  void requestWithoutWeight_isNotEvictedForWeight() {
    Limit limit = Limit.builder("bytes").requests(4).weight(10).evictOldest().build();
    Purgatory<String> polls = purgatory(limit);
    HeldFuture<String> light = poll(polls, 0);
    HeldFuture<String> heavy = poll(polls, 6);
    HeldFuture<String> young = poll(polls, 0);
    HeldFuture<String> next = poll(polls, 5);
    assertRefused(heavy, "bytes");
    assertThat(poll(polls, 5)).isNotDone();
    assertThat(poll(polls, 5)).isNotDone(); // both bounds are reached: one request is enough
    assertRefused(next, "bytes");
    assertThat(light).isNotDone();
    HeldFuture<String> last = poll(polls, 0);
    assertRefused(light, "bytes"); // the oldest of all
    assertThat(young).isNotDone();
    assertThat(last).isNotDone();
    assertThat(limit).hasToString("Limit[bytes, requests 4 of 4, weight 10 of 10]");
  }

  @Test
  void evictedRequest_freesItsPlacesUnderAllLimits() {
    Limit tenant = Limit.builder("tenant").requests(1).evictOldest().build();
    Limit all = Limit.builder("all").requests(2).evictOldest().build();
    Purgatory<String> polls = purgatory(tenant, all);
    Purgatory<String> others = purgatory(all);
    HeldFuture<String> oldest = poll(others, 1);
    HeldFuture<String> evicted = poll(polls, 1);
    HeldFuture<String> newest = poll(polls, 1);
    assertRefused(evicted, "tenant");
    assertThat(oldest).isNotDone();
    assertThat(newest).isNotDone();
    assertThat(all.requests()).isEqualTo(2);
  }

  @Test
  void requestThatItsVictimEvicts_evictsNobodyElse() {
    Limit tenant = Limit.builder("tenant").requests(1).evictOldest().build();
    Limit all = Limit.builder("all").requests(2).evictOldest().build();
    Purgatory<String> polls = purgatory(tenant, all);
    Purgatory<String> tenants = purgatory(tenant);
    Purgatory<String> others = purgatory(all);
    HeldFuture<String> first = poll(tenants, 1);
    List<HeldFuture<String>> again = new ArrayList<>();
    CompletableFuture<Boolean> unused = first.handle((value, error) -> again.add(poll(tenants, 1)));
    List<HeldFuture<String>> rest = List.of(poll(others, 1), poll(others, 1));
    assertRefused(poll(polls, 1), "tenant");
    assertThat(again).hasSize(1).allSatisfy(each -> assertThat(each).isNotDone());
    assertThat(rest).noneSatisfy(each -> assertThat(each).isDone());
    assertThat(tenant.requests()).isEqualTo(1);
    assertThat(all.requests()).isEqualTo(2);
  }

  @Test
  void limitWithoutABound_isRefused() {
    assertThatThrownBy(() -> Limit.builder("l").evictOldest().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("limit l bounds nothing: set requests or weight");
  }

  @Test
  void requestInAClosedScope_evictsNothing() {
    Limit limit = Limit.builder("polls").requests(1).evictOldest().build();
    Purgatory<String> polls = purgatory(limit);
    HeldFuture<String> first = poll(polls, 1);
    Scope closed = Scope.of("connection");
    closed.close();
    assertThat(poll(polls, 1, closed)).isCancelled();
    assertThat(first).isNotDone();
    assertThat(limit.requests()).isEqualTo(1);
  }

  @Test
  void evictedRequest_mayHoldTheNextOneInItsAnswer() {
    Limit limit = Limit.builder("polls").requests(1).evictOldest().build();
    Purgatory<String> polls = purgatory(limit);
    AtomicInteger again = new AtomicInteger(3);
    HeldFuture<String> first = poll(polls, 1);
    CompletableFuture<Void> unused =
        first.handle(
            (value, error) -> {
              if (again.getAndDecrement() > 0) {
                HeldFuture<String> next = poll(polls, 1);
                assertThat(next.outcome()).isNotEqualTo(Outcome.COMPLETED);
              }
              return null;
            });
    HeldFuture<String> evicted = poll(polls, 1); // by one that an evicted request holds
    assertThat(evicted.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(limit.requests()).isEqualTo(1);
    assertThat(polls.pending()).isEqualTo(1);
  }

  @Test
  void operations_repliesAndStages_countToo() {
    Limit limit = Limit.builder("all").requests(2).weight(10).build();
    Purgatory<String> polls = purgatory(limit);
    RecordingOperation heavy =
        new RecordingOperation(TIMEOUT) {
          @Override
          protected long weight() {
            return 10;
          }
        };
    assertThat(polls.hold(heavy, "a")).isFalse();
    RecordingOperation next = new RecordingOperation(TIMEOUT);
    assertThatThrownBy(() -> polls.hold(next, "a")).isInstanceOf(LimitExceededException.class);
    assertThat(next.outcome()).isEqualTo(Outcome.FAILED);
    assertRefused(polls.timeout(new CompletableFuture<>(), TIMEOUT), "all");
    assertThat(heavy.cancel()).isTrue();
    HeldFuture<Object> stage = polls.timeout(new CompletableFuture<>(), TIMEOUT);
    assertThat(limit.requests()).isEqualTo(1);
    assertThat(stage.cancel(false)).isTrue();
    Replies<String, String> replies =
        Replies.<String, String>builder("rpc", String.class, String.class)
            .timer(timer)
            .limit(limit)
            .build();
    assertThat(replies.expect("1", TIMEOUT)).isNotDone();
    assertThat(limit.requests()).isEqualTo(1);
    replies.close();
  }

  @Test
  void negativeWeightsAndLimits_areRefused() {
    Purgatory<String> polls = purgatory(Limit.builder("all").requests(1).build());
    assertThatThrownBy(() -> polls.until(() -> null).weight(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("weight -1 is negative");
    RecordingOperation negative =
        new RecordingOperation(TIMEOUT) {
          @Override
          protected long weight() {
            return -1;
          }
        };
    assertThatThrownBy(() -> polls.hold(negative, "a"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Limit.builder("x").requests(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limit 0 is not positive");
  }

  @Test
  void manyThreads_neverExceedTheLimit_andFreeAllPlaces() throws Exception {
    Limit limit = Limit.builder("all").requests(1).weight(50).build();
    Purgatory<String> polls = purgatory(limit);
    AtomicLong held = new AtomicLong();
    AtomicLong most = new AtomicLong();
    Threads.Task client =
        () -> {
          for (int i = 0; i < 20_000; i++) {
            HeldFuture<String> future = poll(polls, i % 8);
            if (!future.isDone()) {
              most.accumulateAndGet(held.incrementAndGet(), Math::max);
              held.decrementAndGet();
              future.cancel(false);
            }
          }
        };
    Threads.race(client, client, client, client);
    assertThat(most.get()).isOne();
    assertThat(limit.requests()).isZero();
    assertThat(limit.weight()).isZero();
  }

  @Test
  void manyThreads_evict_andFreeAllPlaces() throws Exception {
    Limit limit = Limit.builder("all").requests(5).evictOldest().build();
    Purgatory<String> polls = purgatory(limit);
    Threads.Task client =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            HeldFuture<String> future = poll(polls, 1);
            if (i % 3 == 0) {
              future.complete("x");
            }
          }
        };
    Threads.race(client, client, client);
    assertThat(polls.pending()).isEqualTo(limit.requests()).isBetween(1L, 5L);
    polls.cancelAll();
    assertThat(limit.requests()).isZero();
  }
}
