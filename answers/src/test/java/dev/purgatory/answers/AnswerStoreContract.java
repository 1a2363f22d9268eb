package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store promises, seen through {@link SharedReplies} of two instances. */
abstract class AnswerStoreContract {
  /** How long a test waits for what must come. */
  static final Duration LONG = Duration.ofSeconds(60);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private AnswerStore storeOfA;
  private SharedReplies<String> a;
  private SharedReplies<String> b;

  /** Opens the store of another instance, with the same answers. */
  abstract AnswerStore open() throws Exception;

  @BeforeEach
  void openTwo() throws Exception {
    storeOfA = opened(open());
    a = opened(replies(storeOfA));
    b = opened(replies(opened(open())));
  }

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private <T extends AutoCloseable> T opened(T each) {
    opened.add(each);
    return each;
  }

  private static SharedReplies<String> replies(AnswerStore store) {
    return replies("test", store);
  }

  private static SharedReplies<String> replies(String name, AnswerStore store) {
    return new SharedReplies<>(
        name, store, text -> text.getBytes(UTF_8), bytes -> new String(bytes, UTF_8));
  }

  static <T> T get(Future<T> future) throws Exception {
    return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void answer_isLearntByAWaitThatBegunBefore_onBothInstances() throws Exception {
    String id = a.newId();
    HeldFuture<String> here = a.await(id, LONG);
    HeldFuture<String> there = b.await(id, LONG);
    assertThat(get(b.complete(id, "yes"))).isEqualTo(new Completion<>(true, "yes"));
    assertThat(get(here)).isEqualTo("yes");
    assertThat(get(there)).isEqualTo("yes");
    assertThat(here.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(a.pending() + b.pending()).isZero();
  }

  @Test
  void answer_isLearntByWaitsThatBeginLater_againAndAgain() throws Exception {
    String id = a.newId();
    get(a.complete(id, "yes"));
    for (int i = 0; i < 3; i++) {
      assertThat(get(a.await(id, LONG))).isEqualTo("yes");
      assertThat(get(b.await(id, LONG))).isEqualTo("yes");
    }
  }

  @Test
  void laterAnswer_loses_andLearnsTheEarlierOne() throws Exception {
    String id = b.newId();
    get(a.complete(id, "yes"));
    assertThat(get(b.complete(id, "no"))).isEqualTo(new Completion<>(false, "yes"));
    assertThat(get(a.complete(id, "yes"))).isEqualTo(new Completion<>(false, "yes"));
    assertThat(get(b.await(id, LONG))).isEqualTo("yes");
  }

  @Test
  void offeredAnswer_isLearnt_andTheFirstOneStands() throws Exception {
    String id = a.newId();
    HeldFuture<String> before = a.await(id, LONG);
    get(b.offer(id, "yes"));
    assertThat(get(before)).isEqualTo("yes");
    get(b.offer(id, "no"));
    assertThat(get(b.await(id, LONG))).isEqualTo("yes");
    assertThat(get(a.complete(id, "no"))).isEqualTo(new Completion<>(false, "yes"));
    assertThatThrownBy(() -> a.offer(id + "x", "no")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void twoInstances_answerAtOnce_andAllLearnTheSameWinner() throws Exception {
    int ids = 1_000;
    List<HeldFuture<String>> waits = new ArrayList<>();
    List<CompletableFuture<Completion<String>>> byA = new ArrayList<>();
    List<CompletableFuture<Completion<String>>> byB = new ArrayList<>();
    for (int i = 0; i < ids; i++) {
      String id = i % 2 == 0 ? a.newId() : b.newId();
      waits.add(i % 3 == 0 ? a.await(id, LONG) : b.await(id, LONG));
      SharedReplies<String> first = i % 5 < 2 ? a : b;
      (first == a ? byA : byB).add(first.complete(id, first == a ? "A" : "B"));
      SharedReplies<String> second = first == a ? b : a;
      (second == a ? byA : byB).add(second.complete(id, second == a ? "A" : "B"));
    }
    for (int i = 0; i < ids; i++) {
      Completion<String> ofA = get(byA.get(i));
      Completion<String> ofB = get(byB.get(i));
      assertThat(ofA.won()).isNotEqualTo(ofB.won());
      assertThat(ofA.answer()).isEqualTo(ofA.won() ? "A" : "B").isEqualTo(ofB.answer());
      assertThat(get(waits.get(i))).isEqualTo(ofA.answer());
    }
  }

  /** The answer comes before, while and after the store looks for it. */
  @Test
  void answer_isLearnt_whenItComesAtAnyMomentOfTheLook() throws Exception {
    Random random = new Random(1);
    ExecutorService other = Executors.newSingleThreadExecutor();
    opened(other::shutdownNow);
    for (int i = 0; i < 100; i++) {
      String id = b.newId();
      int before = random.nextInt(8);
      int after = random.nextInt(8);
      Future<Completion<String>> given =
          other.submit(
              () -> {
                TimeUnit.MILLISECONDS.sleep(before);
                return get(b.complete(id, id));
              });
      TimeUnit.MILLISECONDS.sleep(after);
      assertThat(get(a.await(id, LONG))).isEqualTo(id);
      assertThat(get(given).won()).isTrue();
    }
  }

  @Test
  void instance_dies_andAnotherAwaitsTheSameId() throws Exception {
    String id = a.newId();
    HeldFuture<String> lost = a.await(id, LONG);
    a.close();
    assertThatThrownBy(lost::join).hasCauseInstanceOf(PurgatoryClosedException.class);
    storeOfA.close();
    HeldFuture<String> elsewhere = b.await(id, LONG);
    get(b.complete(id, "yes"));
    assertThat(get(elsewhere)).isEqualTo("yes");
    SharedReplies<String> restarted = opened(replies(opened(open())));
    assertThat(get(restarted.await(id, LONG))).isEqualTo("yes");
  }

  @Test
  void waiter_timesOut_andAwaitsAgain() throws Exception {
    String id = a.newId();
    HeldFuture<String> early = a.await(id, Duration.ofMillis(20));
    assertThatThrownBy(() -> get(early)).hasCauseInstanceOf(TimeoutException.class);
    assertThat(early.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(a.pending()).isZero();
    assertThat(a.await(id, Duration.ZERO)).isCompletedExceptionally();
    HeldFuture<String> again = a.await(id, LONG);
    get(b.complete(id, "yes"));
    assertThat(get(again)).isEqualTo("yes");
  }

  @Test
  void ownIds_canBeUsed() throws Exception {
    String prefix = storeOfA.newId() + "~order#"; // like one of the store, but for its end
    HeldFuture<String> first = b.await(b.ownId(prefix + 1), LONG);
    get(a.complete(a.ownId(prefix + 1), "one"));
    get(a.complete(a.ownId(prefix + 2), "two"));
    assertThat(get(first)).isEqualTo("one");
    String second = b.ownId(prefix + 2);
    assertThat(get(b.await(second, LONG))).isEqualTo("two");
    assertThat(get(b.complete(second, "three"))).isEqualTo(new Completion<>(false, "two"));
    String longest = "x".repeat(216 - prefix.length()) + prefix;
    get(a.complete(a.ownId(longest), ""));
    assertThat(get(b.await(b.ownId(longest), LONG))).isEmpty();
  }

  @Test
  void ownIdsWithATime_areOthersThanThoseWithout() throws Exception {
    Instant placed = Instant.now();
    String id = a.ownId("order", placed);
    HeldFuture<String> wait = b.await(b.ownId("order", placed), LONG);
    get(a.complete(a.ownId("order", placed.minusSeconds(1)), "of an earlier one"));
    get(a.complete(a.ownId("order"), "of one without a time"));
    assertThat(get(a.complete(id, "yes"))).isEqualTo(new Completion<>(true, "yes"));
    assertThat(get(wait)).isEqualTo("yes");
    assertThat(a.ownId("x".repeat(216), placed)).hasSize(255);
    for (Instant time :
        List.of(
            Instant.MIN,
            Instant.EPOCH.minusMillis(1),
            Instant.ofEpochMilli(10_000_000_000_000L),
            Instant.MAX)) {
      assertThatThrownBy(() -> a.ownId("x", time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a time is after 1970");
    }
  }

  /** A handler for one kind of question must not answer another kind. */
  @Test
  void tablesOfAStore_haveIdsOfTheirOwn() throws Exception {
    SharedReplies<String> other = opened(replies("other", storeOfA));
    String id = a.newId();
    assertThatThrownBy(() -> other.complete(id, "no"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("newId() and ownId() of the table other make no such id: " + id);
    assertThatThrownBy(() -> other.await(id, LONG)).isInstanceOf(IllegalArgumentException.class);
    get(other.complete(other.ownId("7"), "of other"));
    assertThat(get(a.complete(a.ownId("7"), "of a"))).isEqualTo(new Completion<>(true, "of a"));
    assertThat(get(other.await(other.ownId("7"), LONG))).isEqualTo("of other");
  }

  @Test
  void invalidArguments_areRefused_beforeAnythingChanges() {
    for (String name : List.of("", "a b", "\u00e4", "\n", "x".repeat(217))) {
      assertThatThrownBy(() -> a.ownId(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a name has 1 to 216 printable");
    }
    String id = a.newId();
    for (String each : List.of("", "x", id + "x", "x" + id, id + "\n", storeOfA.newId())) {
      assertThatThrownBy(() -> a.await(each, LONG))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("make no such id");
      assertThatThrownBy(() -> a.complete(each, "yes"))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> a.await(id, Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(a.pending()).isZero();
  }

  @Test
  void anyBytes_arriveAsTheyWere() throws Exception {
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);
    String id = storeOfA.newId();
    CompletableFuture<byte[]> followed = storeOfA.follow(id);
    assertThat(get(storeOfA.complete(id, bytes)).won()).isTrue();
    assertThat(get(followed)).isEqualTo(bytes);
    assertThat(get(storeOfA.follow(id))).isEqualTo(bytes);
  }

  @Test
  void manyCallers_awaitOneId() throws Exception {
    String id = a.newId();
    List<HeldFuture<String>> waits = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waits.add(a.await(id, LONG));
    }
    assertThat(waits.get(0).cancel(false)).isTrue();
    assertThat(a.held()).hasSize(99);
    get(b.complete(id, "yes"));
    for (HeldFuture<String> each : waits.subList(1, 100)) {
      assertThat(get(each)).isEqualTo("yes");
    }
  }

  @Test
  void usersCode_thatBlocksOrThrows_delaysNobody() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    opened(release::countDown);
    String blocked = a.newId();
    List<CompletableFuture<Void>> blocking = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      blocking.add(a.await(blocked, LONG).thenAccept(answer -> waitFor(release)));
    }
    CompletableFuture<Void> throwing =
        a.await(blocked, LONG)
            .thenAccept(
                answer -> {
                  throw new IllegalStateException("thrown by a test");
                });
    get(b.complete(blocked, "yes"));
    SharedReplies<String> unreadable =
        opened(
            new SharedReplies<>(
                "test",
                storeOfA,
                text -> text.getBytes(UTF_8),
                bytes -> {
                  throw new IllegalArgumentException("cannot be read");
                }));
    assertThatThrownBy(() -> get(unreadable.await(blocked, LONG)))
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> get(throwing)).isInstanceOf(ExecutionException.class);

    String other = a.newId();
    HeldFuture<String> wait = a.await(other, LONG);
    get(b.complete(other, "yes"));
    assertThat(get(wait)).isEqualTo("yes");
    assertThat(blocking).noneMatch(CompletableFuture::isDone);
  }

  private static void waitFor(CountDownLatch release) {
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void limitsAndScopes_endWaits() throws Exception {
    Scope connection = Scope.of("connection");
    HeldFuture<String> scoped = a.await(a.newId(), LONG, connection);
    connection.close();
    assertThat(scoped).isCompletedExceptionally();
    SharedReplies<String> limited =
        opened(
            new SharedReplies<>(
                "test",
                null,
                Purgatory.builder("limited", String.class)
                    .limit(Limit.builder("one").requests(1).build())
                    .build(),
                storeOfA,
                text -> text.getBytes(UTF_8),
                bytes -> new String(bytes, UTF_8)));
    HeldFuture<String> first = limited.await(limited.newId(), LONG);
    assertThat(limited.await(limited.newId(), LONG)).isCompletedExceptionally();
    assertThat(first).isNotDone();
  }

  @Test
  void closedStore_failsWhatItHas_andWhatComesLater() throws Exception {
    String id = a.newId();
    HeldFuture<String> wait = a.await(id, LONG);
    storeOfA.close();
    storeOfA.close();
    assertThatThrownBy(() -> get(wait)).hasCauseInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> get(a.await(id, LONG)))
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> get(a.complete(id, "yes")))
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> get(a.offer(id, "yes")))
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void newIds_differ() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      ids.add(a.newId());
      ids.add(b.newId());
    }
    assertThat(ids).hasSize(2_000).allMatch(id -> id.length() <= 85);
  }
}
