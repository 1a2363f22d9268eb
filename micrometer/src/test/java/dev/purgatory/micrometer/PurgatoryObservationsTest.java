package dev.purgatory.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.testkit.VirtualTime;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@SuppressWarnings("FutureReturnValueIgnored")
class PurgatoryObservationsTest {
  private static final String NAME = "purgatory.request";

  /** A handler of observations that counts those that were started and not stopped. */
  private static class Counting implements ObservationHandler<Observation.Context> {
    final AtomicInteger open = new AtomicInteger();

    @Override
    public void onStart(Observation.Context context) {
      open.incrementAndGet();
    }

    @Override
    public void onStop(Observation.Context context) {
      open.decrementAndGet();
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  private final VirtualTime time = VirtualTime.create();
  private final TestObservationRegistry registry = TestObservationRegistry.create();
  private final PurgatoryObservations observations = new PurgatoryObservations(registry, "polls");
  private final Purgatory<Object> polls = builder().build();
  private final Counting counting = new Counting();
  private final RuntimeException error = new IllegalStateException("on purpose");

  /** What the condition of the held request does: returns null, or an answer, or throws. */
  private final AtomicReference<@Nullable Object> found = new AtomicReference<>();

  @BeforeEach
  void count() {
    registry.observationConfig().observationHandler(counting);
  }

  private PurgatoryBuilder<Object> builder() {
    return time.<Object>builder("polls", Object.class).listener(observations);
  }

  private HeldFuture<Object> hold(Object... keys) {
    return polls.until(this::find).orTimeout(Duration.ofSeconds(10)).hold(keys);
  }

  private @Nullable Object find() {
    Object is = found.get();
    if (is instanceof RuntimeException e) {
      throw e;
    }
    return is;
  }

  private TestObservationRegistryAssert
          .TestObservationRegistryAssertReturningObservationContextAssert
      assertOne() {
    return TestObservationRegistryAssert.assertThat(registry)
        .hasNumberOfObservationsWithNameEqualTo(NAME, 1)
        .hasSingleObservationThat();
  }

  private void assertStopped(String outcome) {
    assertOne()
        .hasBeenStarted()
        .hasBeenStopped()
        .hasLowCardinalityKeyValue("purgatory.name", "polls")
        .hasLowCardinalityKeyValue("purgatory.outcome", outcome);
    assertThat(observations.open()).isZero();
  }

  private void assertAllStopped(int count) {
    TestObservationRegistryAssert.assertThat(registry)
        .hasNumberOfObservationsWithNameEqualTo(NAME, count);
    assertThat(counting.open).hasValue(0);
    assertThat(observations.open()).isZero();
  }

  /** Ends a request that is held, in one of the ways there are. */
  private record End(String how, Consumer<PurgatoryObservationsTest> action) {
    @Override
    public String toString() {
      return how;
    }
  }

  private static Arguments end(
      String outcome, boolean hasError, String how, Consumer<PurgatoryObservationsTest> action) {
    return Arguments.of(outcome, hasError, new End(how, action));
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        end(
            "completed",
            false,
            "signal",
            test -> {
              test.hold("a");
              test.found.set("answer");
              test.polls.signal("a");
            }),
        end("completed", false, "complete", test -> test.hold("a").complete("answer")),
        end(
            "completed",
            false,
            "reply",
            test -> {
              Replies<String, String> replies =
                  test.time
                      .<String, String>replies("rpc", String.class, String.class)
                      .listener(test.observations)
                      .build();
              replies.expect("id", Duration.ofSeconds(1));
              replies.complete("id", "answer");
            }),
        end(
            "timed_out",
            false,
            "time limit",
            test -> {
              test.hold("a");
              test.time.advance(Duration.ofSeconds(11));
            }),
        end(
            "completed",
            false,
            "condition true at the time limit",
            test -> {
              test.hold("a");
              test.found.set("answer");
              test.time.advance(Duration.ofSeconds(11));
            }),
        end("cancelled", false, "cancel", test -> test.hold("a").cancel(false)),
        end(
            "cancelled",
            false,
            "cancelAll",
            test -> {
              test.hold("a");
              test.polls.cancelAll();
            }),
        end("failed", true, "fail", test -> test.hold("a").completeExceptionally(test.error)),
        end(
            "failed",
            true,
            "condition throws at a signal",
            test -> {
              test.hold("a");
              test.found.set(test.error);
              test.polls.signal("a");
            }),
        end(
            "failed",
            true,
            "condition throws at the second evaluation",
            test -> {
              AtomicInteger evaluations = new AtomicInteger();
              test.polls
                  .until(
                      () -> {
                        if (evaluations.incrementAndGet() == 2) {
                          throw test.error;
                        }
                        return null;
                      })
                  .orTimeout(Duration.ofSeconds(10))
                  .hold("a");
            }),
        end(
            "completed",
            false,
            "condition true at the second evaluation",
            test -> {
              AtomicInteger evaluations = new AtomicInteger();
              test.polls
                  .until(() -> evaluations.incrementAndGet() == 2 ? "answer" : null)
                  .orTimeout(Duration.ofSeconds(10))
                  .hold("a");
            }),
        end(
            "failed",
            true,
            "key throws",
            test ->
                assertThatThrownBy(
                        () ->
                            test.hold(
                                "a",
                                new Object() {
                                  @Override
                                  public int hashCode() {
                                    throw test.error;
                                  }
                                }))
                    .isSameAs(test.error)),
        end(
            "failed",
            true,
            "scope fails",
            test -> {
              Scope scope = Scope.of("owner");
              test.polls
                  .until(() -> null)
                  .inScope(scope)
                  .orTimeout(Duration.ofSeconds(10))
                  .hold("a");
              scope.fail(test.error);
            }),
        end(
            "closed",
            false,
            "close",
            test -> {
              test.hold("a");
              test.polls.close();
            }),
        end(
            "closed",
            false,
            "close in time",
            test -> {
              test.hold("a");
              test.polls.close(Duration.ofSeconds(30));
            }));
  }

  @ParameterizedTest(name = "{2}: {0}")
  @MethodSource("ends")
  void eachEnd_stopsTheObservation(String outcome, boolean hasError, End end) {
    end.action().accept(this);
    assertStopped(outcome);
    if (hasError) {
      assertOne().thenError().isSameAs(error);
    } else {
      assertOne().doesNotHaveError();
    }
  }

  @Test
  void eviction_stopsTheObservation() {
    Purgatory<Object> limited =
        builder().limit(Limit.builder("one").requests(1).evictOldest().build()).build();
    for (int i = 0; i < 2; i++) {
      limited.until(() -> null).orTimeout(Duration.ofSeconds(10)).hold("a");
    }
    assertThat(observations.open()).isEqualTo(1);
    limited.close();
    assertAllStopped(2);
  }

  @Test
  void heldRequest_isAChildOfTheCurrentObservation() {
    Observation parent = Observation.start("http.server.requests", registry);
    HeldFuture<Object> held = parent.scoped(() -> hold("a"));
    TestObservationRegistryAssert.assertThat(registry)
        .hasObservationWithNameEqualTo(NAME)
        .that()
        .hasContextualNameEqualTo("hold in polls")
        .hasParentObservationEqualTo(parent)
        .hasBeenStarted()
        .isNotStopped();
    assertThat(registry.getCurrentObservation()).isNull();
    held.cancel(false);
    parent.stop();
    assertThat(observations.open()).isZero();
  }

  @Test
  void sampleOfThePage_observes() {
    // sample: observations
    Purgatory<String> polls =
        Purgatory.builder("polls", String.class)
            .listener(new PurgatoryObservations(registry, "polls"))
            .build();
    // end
    polls.until(() -> (String) null).orTimeout(Duration.ofMinutes(1)).hold("a");
    polls.close();
    assertOne().hasBeenStopped().hasLowCardinalityKeyValue("purgatory.outcome", "closed");
  }

  @Test
  void requestsThatAreNotHeld_haveNone() {
    found.set("answer");
    assertThat(hold("a")).isDone();
    found.set(error);
    assertThat(hold("a")).isCompletedExceptionally();
    polls.close();
    assertThat(hold("a")).isCompletedExceptionally();
    TestObservationRegistryAssert.assertThat(registry).doesNotHaveAnyObservation();
    assertThat(observations.open()).isZero();
  }

  @Test
  void registryThatObservesNothing_costsNoEntry() {
    for (ObservationRegistry each :
        List.of(ObservationRegistry.NOOP, ObservationRegistry.create())) {
      PurgatoryObservations none = new PurgatoryObservations(each, "polls");
      Purgatory<Object> unobserved = time.builder("polls", Object.class).listener(none).build();
      HeldFuture<String> held =
          unobserved.until(() -> (String) null).orTimeout(Duration.ofSeconds(10)).hold("a");
      assertThat(none.open()).isZero();
      assertThat(held.complete("answer")).isTrue();
    }
  }

  /** As types of users may, all operations are equal. */
  private static final class Equal extends DelayedOperation {
    Equal() {
      super(Duration.ofDays(1));
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Equal;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  @Test
  void equalOperations_haveOneObservationEach() {
    List<Equal> operations = List.of(new Equal(), new Equal(), new Equal());
    operations.forEach(each -> polls.hold(each, List.of("a")));
    assertThat(observations.open()).isEqualTo(3);
    operations.forEach(DelayedOperation::cancel);
    assertAllStopped(3);
  }

  @Test
  void handlerThatThrows_affectsNoRequest_andOthersAreStopped() {
    registry
        .observationConfig()
        .observationHandler(
            new Counting() {
              @Override
              public void onStart(Observation.Context context) {
                throw error;
              }

              @Override
              public void onError(Observation.Context context) {
                throw error;
              }
            });
    HeldFuture<Object> held = hold("a");
    assertThat(counting.open).hasValue(1);
    held.completeExceptionally(new IllegalArgumentException("the answer"));
    assertThat(held.cause()).hasMessage("the answer");
    assertThat(counting.open).hasValue(0);
    assertThat(observations.open()).isZero();
  }

  @Test
  @Timeout(60)
  void endsOfManyThreads_leaveNothingOpen() throws Exception {
    ObservationRegistry counted = ObservationRegistry.create();
    counted.observationConfig().observationHandler(counting);
    PurgatoryObservations observed = new PurgatoryObservations(counted, "polls");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> done = new ArrayList<>();
    try (Purgatory<Integer> busy =
        Purgatory.builder("busy", Integer.class).listener(observed).build()) {
      for (int thread = 0; thread < 4; thread++) {
        done.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 5_000; i++) {
                    Duration limit = Duration.ofNanos(i % 3 == 0 ? 1 : 1_000_000_000);
                    busy.until(() -> (String) null).orTimeout(limit).hold(i % 7);
                    busy.cancelForKey((i + 1) % 7);
                  }
                }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    }
    threads.shutdown();
    assertThat(counting.open).hasValue(0);
    assertThat(observed.open()).isZero();
  }

  @Test
  void metersOfObservations_doNotCollideWithTheMetrics() {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    List<String> failures = new ArrayList<>();
    meters.config().onMeterRegistrationFailed((id, reason) -> failures.add(id + ": " + reason));
    registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    Purgatory<Object> both = new PurgatoryMetrics(meters, "polls").bind(builder());
    both.until(() -> null).orTimeout(Duration.ofSeconds(10)).hold("a").cancel(false);
    assertThat(failures).isEmpty();
    assertThat(meters.scrape())
        .contains("purgatory_held_seconds_count{name=\"polls\",outcome=\"cancelled\"} 1")
        .contains(
            "purgatory_request_seconds_count{error=\"none\",purgatory_name=\"polls\",purgatory_outcome=\"cancelled\"} 1");
  }
}
