package dev.purgatory.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.Replies;
import dev.purgatory.testkit.VirtualTime;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@SuppressWarnings("FutureReturnValueIgnored")
class PurgatoryMetricsTest {
  private final VirtualTime time = VirtualTime.create();
  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

  private Purgatory<String> purgatory() {
    return new PurgatoryMetrics(registry, "polls").bind(time.builder("polls", String.class));
  }

  private static HeldFuture<String> hold(Purgatory<String> purgatory, String... keys) {
    return purgatory.until(() -> (String) null).orTimeout(Duration.ofSeconds(10)).hold(keys);
  }

  private double gauge(String metric) {
    return registry.get(metric).tag("name", "polls").gauge().value();
  }

  private double counter(String metric, String key, String value) {
    return registry.get(metric).tag("name", "polls").tag(key, value).counter().count();
  }

  private io.micrometer.core.instrument.Timer held(String outcome) {
    return registry.get("purgatory.held").tag("name", "polls").tag("outcome", outcome).timer();
  }

  @Test
  void gauges_followThePurgatory() {
    Purgatory<String> polls = purgatory();
    HeldFuture<String> first = hold(polls, "a", "b");
    time.advance(Duration.ofSeconds(3));
    hold(polls, "c");
    assertThat(gauge("purgatory.pending")).isEqualTo(2);
    assertThat(gauge("purgatory.watched")).isEqualTo(3);
    assertThat(gauge("purgatory.keys")).isEqualTo(3);
    assertThat(gauge("purgatory.unanswered")).isZero();
    assertThat(gauge("purgatory.retained")).isZero();
    assertThat(registry.get("purgatory.oldest").timeGauge().value(TimeUnit.SECONDS)).isEqualTo(3);

    first.cancel(false);
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
    clock.addSeconds(1); // before, the snapshot is not taken again
    assertThat(gauge("purgatory.retained"))
        .isEqualTo((double) polls.inspect().snapshot(0).retained());
    assertThat(registry.get("purgatory.oldest").timeGauge().value(TimeUnit.SECONDS)).isZero();
  }

  @Test
  void tableOfReplies_hasAllMetrics() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "rpc");
    // sample: metrics-replies
    Replies<Integer, String> replies =
        metrics.bind(Replies.builder("rpc", Integer.class, String.class));
    // end
    HeldFuture<String> reply = replies.expect(1, Duration.ofSeconds(10));
    assertThat(registry.get("purgatory.pending").tag("name", "rpc").gauge().value()).isEqualTo(1);
    assertThat(replies.complete(1, "reply")).isTrue();
    assertThat(reply).isCompletedWithValue("reply");
    assertThat(
            registry
                .get("purgatory.held")
                .tags("name", "rpc", "outcome", "completed")
                .timer()
                .count())
        .isEqualTo(1);
    metrics.close();
    replies.close();
  }

  @Test
  void samplesOfThePage_publish() {
    // sample: metrics
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    Purgatory<String> polls = metrics.bind(Purgatory.builder("polls", String.class));
    // end
    hold(polls, "a");
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
    metrics.close();
    polls.close();
    observed(new PurgatoryMetrics(registry, "polls"));
  }

  private void observed(PurgatoryMetrics metrics) {
    // sample: metrics-diagnostics
    Purgatory<String> polls =
        metrics.bind(Purgatory.builder("polls", String.class).diagnostics(new Diagnostics()));
    // end
    assertThat(registry.find("purgatory.checks").gauges()).hasSize(3);
    polls.close();
  }

  @Test
  void oldest_isZeroWithoutRequests() {
    purgatory();
    assertThat(registry.get("purgatory.oldest").timeGauge().value()).isZero();
  }

  @Test
  void outcomes_areTimed() {
    Purgatory<String> polls = purgatory();
    AtomicBoolean ready = new AtomicBoolean();
    polls.until(() -> ready.get() ? "done" : null).orTimeout(Duration.ofHours(1)).hold("done");
    polls
        .until(
            () -> {
              if (ready.get()) {
                throw new IllegalStateException("the condition fails");
              }
              return null;
            })
        .orTimeout(Duration.ofHours(1))
        .hold("fails");
    HeldFuture<String> cancelled = hold(polls, "cancelled");
    time.advance(Duration.ofSeconds(2));
    ready.set(true);
    polls.signal("done");
    polls.signal("fails");
    cancelled.cancel(false);
    hold(polls, "times out");
    time.advance(Duration.ofSeconds(10));
    hold(polls, "closed");
    polls.close();

    for (String outcome : new String[] {"completed", "failed", "cancelled"}) {
      assertThat(held(outcome).count()).as(outcome).isEqualTo(1);
      assertThat(held(outcome).totalTime(TimeUnit.SECONDS)).as(outcome).isEqualTo(2);
    }
    assertThat(held("timed_out").count()).isEqualTo(1);
    assertThat(held("timed_out").totalTime(TimeUnit.SECONDS)).isEqualTo(10);
    assertThat(held("closed").count()).isEqualTo(1);
  }

  @Test
  void lateness_isTimed() {
    Purgatory<String> polls = purgatory();
    hold(polls, "a");
    time.jump(Duration.ofSeconds(12));
    var lateness = registry.get("purgatory.lateness").tag("name", "polls").timer();
    assertThat(lateness.count()).isEqualTo(1);
    assertThat(lateness.totalTime(TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void requestsThatNeedNotWait_areCounted() {
    Purgatory<String> polls = purgatory();
    polls.until(() -> "now").orTimeout(Duration.ofSeconds(1)).hold("a");
    polls
        .until(
            () -> {
              throw new IllegalStateException("broken");
            })
        .forever()
        .hold("a");
    for (String outcome : new String[] {"completed", "failed"}) {
      var counter = registry.get("purgatory.immediate").tag("outcome", outcome).counter();
      assertThat(counter.count()).as(outcome).isEqualTo(1);
    }
  }

  @Test
  void rejections_areCountedByReason() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    Purgatory<String> polls =
        metrics.bind(
            time.builder("polls", String.class).limit(Limit.builder("all").requests(1).build()));
    hold(polls, "a");
    assertThatThrownBy(() -> hold(polls, "b").get())
        .hasRootCauseInstanceOf(LimitExceededException.class);
    assertThat(counter("purgatory.rejected", "reason", "limit")).isEqualTo(1);
    polls.close();
    assertThatThrownBy(() -> hold(polls, "c").get()).isNotNull();
    assertThat(counter("purgatory.rejected", "reason", "closed")).isEqualTo(1);
    assertThat(counter("purgatory.rejected", "reason", "other")).isZero();
  }

  @Test
  void errors_areCountedBySource() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    metrics.onError("an operation", Source.ANSWER, new Exception("test"));
    assertThat(counter("purgatory.errors", "source", "answer")).isEqualTo(1);
    assertThat(counter("purgatory.errors", "source", "executor")).isZero();
  }

  @Test
  void diagnostics_tellTheChecksPerCompletion() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    Purgatory<String> polls =
        metrics.bind(time.builder("polls", String.class).diagnostics(new Diagnostics()));
    AtomicBoolean ready = new AtomicBoolean();
    polls.until(() -> ready.get() ? "done" : null).orTimeout(Duration.ofHours(1)).hold("a");
    polls.signal("a");
    ready.set(true);
    polls.signal("a");
    var max = registry.get("purgatory.checks").tag("name", "polls").tag("quantile", "1").gauge();
    assertThat(max.value()).isGreaterThanOrEqualTo(3);
    assertThat(registry.find("purgatory.checks").gauges()).hasSize(3);
  }

  @Test
  void close_removesTheMetricsOfThisPurgatoryOnly() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    Purgatory<String> polls =
        metrics.bind(time.builder("polls", String.class).diagnostics(new Diagnostics()));
    PurgatoryMetrics others = new PurgatoryMetrics(registry, "others");
    others.bind(time.builder("others", String.class));
    HeldFuture<String> held = hold(polls, "a");
    metrics.close();
    assertThat(registry.getMeters())
        .isNotEmpty()
        .allMatch(meter -> "others".equals(meter.getId().getTag("name")));
    held.cancel(false); // still harmless
    others.close();
    assertThat(registry.getMeters()).isEmpty();
    assertThatIllegalStateException()
        .isThrownBy(() -> metrics.bind(time.builder("polls", String.class)));

    try (PurgatoryMetrics again = new PurgatoryMetrics(registry, "polls")) {
      assertThat(held("cancelled").count()).isZero();
      assertThat(again).isNotNull();
    }
  }

  @Test
  void secondBind_isRejected() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    metrics.bind(time.builder("polls", String.class));
    assertThatIllegalStateException()
        .isThrownBy(() -> metrics.bind(time.builder("polls", String.class)))
        .withMessage("these metrics have a purgatory");
  }

  @Test
  void bindThatIsRepeatedAfterAFailure_countsOnce() {
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    PurgatoryBuilder<String> builder = time.builder("metrics-test", String.class).mxBean();
    Purgatory<String> sameName = time.builder("metrics-test", String.class).mxBean().build();
    assertThatIllegalStateException().isThrownBy(() -> metrics.bind(builder));
    sameName.close();
    Purgatory<String> polls = metrics.bind(builder);
    hold(polls, "a");
    polls.close();
    assertThat(held("closed").count()).isEqualTo(1);
  }

  @Test
  void nameInUse_getsANumber() {
    PurgatoryMetrics first = new PurgatoryMetrics(registry, "polls");
    PurgatoryMetrics second = new PurgatoryMetrics(registry, "polls");
    PurgatoryMetrics third = new PurgatoryMetrics(registry, "polls");
    assertThat(first.name()).isEqualTo("polls");
    assertThat(second.name()).isEqualTo("polls-2");
    assertThat(third.name()).isEqualTo("polls-3");

    Purgatory<String> polls = first.bind(time.builder("polls", String.class));
    second.bind(time.builder("polls", String.class));
    hold(polls, "a");
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
    assertThat(registry.get("purgatory.pending").tag("name", "polls-2").gauge().value()).isZero();
    second.close();
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
    assertThat(new PurgatoryMetrics(registry, "polls").name()).isEqualTo("polls-2");
    assertThat(new PurgatoryMetrics(new SimpleMeterRegistry(), "polls").name()).isEqualTo("polls");
  }

  @Test
  void nameInUse_ofTwoThreads_getsANumber() throws Exception {
    forEachPair(
        () -> new PurgatoryMetrics(registry, "polls"),
        (one, other) -> {
          assertThat(List.of(one.name(), other.name()))
              .containsExactlyInAnyOrder("polls", "polls-2");
          one.close();
          other.close();
        });
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void gaugesOfAPurgatory_ofTwoThreads_areTheSame() throws Exception {
    Purgatory<String> polls = time.purgatory("polls", String.class);
    forEachPair(
        () -> new PurgatoryGauges(registry, "polls", polls),
        (one, other) -> {
          assertThat(List.of(one.name(), other.name())).containsExactly("polls", "polls");
          one.close();
          other.close();
        });
    assertThat(registry.getMeters()).isEmpty();
  }

  /** Has two threads make something at the same time, again and again. */
  private static <T> void forEachPair(Callable<T> task, BiConsumer<T, T> test) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 300; round++) {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Callable<T> together =
            () -> {
              barrier.await();
              return task.call();
            };
        Future<T> one = threads.submit(together);
        Future<T> other = threads.submit(together);
        test.accept(one.get(), other.get());
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void closeWhileAPurgatoryIsBound_leavesTheMetersOfTheNextOne() {
    AtomicReference<@Nullable PurgatoryMetrics> bound = new AtomicReference<>();
    List<Purgatory<String>> next = new ArrayList<>();
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                PurgatoryMetrics first =
                    id.getName().equals("purgatory.pending") ? bound.getAndSet(null) : null;
                if (first != null) {
                  first.close();
                  next.add(purgatory());
                }
                return id;
              }
            });
    PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
    bound.set(metrics);
    metrics.bind(time.builder("polls", String.class));
    hold(next.get(0), "a");
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
    assertThat(gauge("purgatory.keys")).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("filters")
  void nameInUse_withAFilter_getsANumber(MeterFilter filter, String tag) {
    registry.config().meterFilter(filter);
    PurgatoryMetrics first = new PurgatoryMetrics(registry, "polls");
    PurgatoryMetrics second = new PurgatoryMetrics(registry, "polls");
    Purgatory<String> polls = first.bind(time.builder("polls", String.class));
    second.bind(time.builder("polls", String.class));
    hold(polls, "a");
    second.close();
    assertThat(registry.get("purgatory.pending").tag(tag, "polls").gauge().value()).isEqualTo(1);
    first.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  static Stream<Arguments> filters() {
    return Stream.of(
        Arguments.of(MeterFilter.denyNameStartsWith("purgatory.held"), "name"),
        Arguments.of(MeterFilter.renameTag("purgatory", "name", "pool"), "pool"));
  }

  /** Then both have the same meters. */
  @Test
  void filterThatDropsTheName_metersStayUntilTheLastIsClosed() {
    registry.config().meterFilter(MeterFilter.ignoreTags("name"));
    PurgatoryMetrics first = new PurgatoryMetrics(registry, "polls");
    PurgatoryMetrics second = new PurgatoryMetrics(registry, "acks");
    int meters = registry.getMeters().size();
    second.close();
    assertThat(registry.getMeters()).hasSize(meters);
    first.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void nameThatAnotherClassLoaderUses_getsANumber() {
    registry.counter("purgatory.held", "name", "polls");
    try (PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls")) {
      assertThat(metrics.name()).isEqualTo("polls-2");
    }
  }

  @Test
  void registry_isCollected() throws InterruptedException {
    WeakReference<MeterRegistry> forgotten = new WeakReference<>(measuredRegistry());
    awaitCollected(forgotten);
  }

  private MeterRegistry measuredRegistry() {
    MeterRegistry other = new SimpleMeterRegistry();
    new PurgatoryMetrics(other, "polls").bind(time.builder("polls", String.class));
    return other;
  }

  @Test
  void forgottenPurgatory_isCollected() throws InterruptedException {
    WeakReference<Purgatory<String>> forgotten = new WeakReference<>(realPurgatory());
    awaitCollected(forgotten);
    assertThat(gauge("purgatory.pending")).isNaN();
    assertThat(gauge("purgatory.retained")).isNaN();

    hold(purgatory(), "a"); // takes the name, and replaces what was left
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
  }

  @Test
  void metersOfForgottenPurgatories_go_whenAnotherNameIsTaken() throws InterruptedException {
    List<WeakReference<Purgatory<String>>> forgotten = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      forgotten.add(new WeakReference<>(realPurgatory()));
    }
    for (WeakReference<Purgatory<String>> each : forgotten) {
      awaitCollected(each);
    }
    try (PurgatoryMetrics other = new PurgatoryMetrics(registry, "other")) {
      assertThat(registry.getMeters())
          .extracting(each -> each.getId().getTag("name"))
          .containsOnly("other");
      assertThat(other.name()).isEqualTo("other");
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  private static void awaitCollected(WeakReference<?> forgotten) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (forgotten.get() != null && System.nanoTime() < end) {
      System.gc();
      Thread.sleep(5);
    }
    assertThat(forgotten.get()).isNull();
  }

  private Purgatory<String> realPurgatory() {
    return new PurgatoryMetrics(registry, "polls").bind(Purgatory.builder("polls", String.class));
  }

  @Test
  void gaugesOfAnyPurgatory_followIt() {
    Purgatory<String> polls = time.purgatory("polls", String.class);
    hold(polls, "a");
    // sample: metrics-gauges
    PurgatoryGauges gauges = new PurgatoryGauges(registry, "polls", polls);
    // end
    time.advance(Duration.ofSeconds(3));
    assertThat(gauge("purgatory.pending")).isEqualTo(1);
    assertThat(registry.get("purgatory.oldest").timeGauge().value(TimeUnit.SECONDS)).isEqualTo(3);
    assertThat(registry.find("purgatory.held").meters()).isEmpty();
    gauges.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void gaugesOfAPurgatoryWithMetrics_addNothing() {
    Purgatory<String> polls = purgatory();
    int meters = registry.getMeters().size();
    try (PurgatoryGauges gauges = new PurgatoryGauges(registry, "other", polls)) {
      assertThat(gauges.name()).isEqualTo("polls");
      assertThat(registry.getMeters()).hasSize(meters);
    }
    assertThat(registry.getMeters()).hasSize(meters);
    try (PurgatoryGauges others =
        new PurgatoryGauges(registry, "polls", time.purgatory("others", String.class))) {
      assertThat(others.name()).isEqualTo("polls-2");
    }
  }

  @Test
  void visits_restForNinetyNineTimesAsLongAsTheyTake() {
    AtomicLong now = new AtomicLong();
    Clock slow =
        new Clock() {
          @Override
          public long wallTime() {
            return 0;
          }

          @Override
          public long monotonicTime() { // a visit reads it before and after
            return now.getAndAdd(Duration.ofMillis(200).toNanos());
          }
        };
    Purgatory<String> polls = time.purgatory("polls", String.class);
    RestingSnapshot snapshot = new RestingSnapshot(slow);
    assertThat(snapshot.of(polls).oldest()).isNull();
    hold(polls, "a");
    now.set(Duration.ofSeconds(19).toNanos());
    assertThat(snapshot.of(polls).oldest()).isNull();
    now.set(Duration.ofSeconds(20).toNanos());
    assertThat(snapshot.of(polls).oldest()).isNotNull();
  }
}
