package dev.purgatory.testkit.junit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.testkit.junit.PurgatoryExtension.Leftover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests that fail on purpose, and checks what they report. */
class PurgatoryExtensionTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Not run with the other tests: the surefire plugin excludes nested classes. */
  @ExtendWith(PurgatoryExtension.class)
  static class Samples {
    private static final List<VirtualTime> TIMES = new ArrayList<>();
    private static final List<Object> KEPT = new ArrayList<>();
    private final List<Purgatory<String>> purgatories = new ArrayList<>();
    private @Nullable VirtualTime inBeforeEach;

    @BeforeEach
    void before(VirtualTime time) {
      inBeforeEach = time;
      TIMES.add(time);
    }

    @AfterEach
    void after(VirtualTime time) {
      assertThat(time).isSameAs(inBeforeEach);
      purgatories.forEach(Purgatory::close); // hides nothing
    }

    @Test
    void passes(VirtualTime time) {
      HeldFuture<String> poll = hold(time);
      assertThat(time.advance(SECOND)).hasSize(1);
      assertThat(poll).isCompletedExceptionally();
    }

    @Test
    void leavesAnOperation(VirtualTime time) {
      assertThat(hold(time)).isNotDone();
    }

    @Test
    void leavesAnOperation_ofAPurgatoryThatIsClosedAfterwards(VirtualTime time) {
      Purgatory<String> polls = time.builder("polls", String.class).build();
      purgatories.add(polls);
      assertThat(polls.<String>until(() -> null).forever().hold("topic")).isNotDone();
    }

    @Test
    void leavesAnError(VirtualTime time) {
      time.executor()
          .execute(
              () -> {
                throw new IllegalStateException("broken task");
              });
      time.advance(SECOND);
    }

    @Test
    void takesTheError(VirtualTime time) {
      leavesAnError(time);
      assertThat(time.takeErrors()).hasSize(1);
    }

    @Test
    void leavesErrorsAndOperations(VirtualTime time) {
      leavesAnError(time);
      leavesAnOperation(time);
    }

    @Test
    void fails(VirtualTime time) {
      leavesAnOperation(time);
      throw new IllegalStateException("the test itself failed");
    }

    @Test
    void leavesAReachableObject(VirtualTime time) {
      KEPT.add(time.track(new int[] {1}));
    }

    @Test
    void leavesAThread() {
      Purgatory<String> forgotten = Purgatory.builder("forgotten", String.class).build();
      KEPT.add(forgotten);
      KEPT.add(forgotten.until(() -> null).orTimeout(Duration.ofDays(1)).hold("key"));
    }
  }

  /** The same with leftovers that are allowed. */
  static class Lenient {
    @RegisterExtension
    static final PurgatoryExtension EXTENSION =
        PurgatoryExtension.allowing(Leftover.PENDING, Leftover.ERRORS, Leftover.THREADS);

    @Test
    void leavesMuch(VirtualTime time) {
      Samples samples = new Samples();
      samples.leavesErrorsAndOperations(time);
      samples.leavesAThread();
    }
  }

  /** Only closing ends what the test leaves. */
  static class Pending {
    @RegisterExtension
    static final PurgatoryExtension EXTENSION = PurgatoryExtension.allowing(Leftover.PENDING);

    @Test
    void leavesAnAnswerThatThrows(VirtualTime time) {
      DelayedOperation request =
          new DelayedOperation(SECOND) {
            @Override
            protected boolean isReady() {
              return false;
            }

            @Override
            protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
              throw new IllegalStateException("broken answer");
            }
          };
      Purgatory<String> polls = time.purgatory("polls", String.class);
      assertThat(polls.hold(request, "topic")).isFalse();
    }
  }

  private static HeldFuture<String> hold(VirtualTime time) {
    Purgatory<String> polls = time.purgatory("polls", String.class);
    return polls.<String>until(() -> null).orTimeout(SECOND).hold("topic");
  }

  private static @Nullable Throwable run(Class<?> type, String method) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectMethod(type, method, VirtualTime.class))
            .build();
    return run(request);
  }

  private static @Nullable Throwable run(LauncherDiscoveryRequest request) {
    Map<String, TestExecutionResult> results = new HashMap<>();
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                  results.put(test.getDisplayName(), result);
                }
              }
            });
    assertThat(results).hasSize(1);
    return results.values().iterator().next().getThrowable().orElse(null);
  }

  private static Throwable failure(String method) {
    Throwable failure = run(Samples.class, method);
    assertThat(failure).as(method).isNotNull();
    return requireNonNull(failure);
  }

  @AfterEach
  void closeWhatIsKept() {
    for (Object each : Samples.KEPT) {
      if (each instanceof Purgatory<?> purgatory) {
        purgatory.close();
      }
    }
    Samples.KEPT.clear();
    Samples.TIMES.clear();
  }

  @Test
  void nothingLeft_passes_andTheTimeIsClosed() {
    assertThat(run(Samples.class, "passes")).isNull();
    assertThat(Samples.TIMES)
        .singleElement()
        .satisfies(time -> assertThat(time.timer().toString()).startsWith("Timer[closed"));
  }

  @Test
  void pendingOperation_fails_namingIt() {
    assertThat(failure("leavesAnOperation"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("something is pending at 0s")
        .hasMessageContaining("#1 HeldFuture[held by polls for 0 ms, due in 1 s, keys [topic]]")
        .hasMessageContaining("0s polls: #1 HELD");
    assertThat(failure("leavesAnOperation_ofAPurgatoryThatIsClosedAfterwards"))
        .hasMessageContaining("something is pending at 0s")
        .hasNoSuppressedExceptions();
  }

  @Test
  void error_fails_unlessItIsTaken() {
    assertThat(failure("leavesAnError"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("broken task")
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(run(Samples.class, "takesTheError")).isNull();
  }

  @Test
  void errorOfClosing_fails() {
    assertThat(run(Pending.class, "leavesAnAnswerThatThrows"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("broken answer");
  }

  @Test
  void severalLeftovers_areAllReported() {
    Throwable failure = failure("leavesErrorsAndOperations");
    assertThat(failure).hasMessageStartingWith("errors were thrown");
    assertThat(failure.getSuppressed())
        .singleElement()
        .satisfies(second -> assertThat(second).hasMessageStartingWith("something is pending"));
  }

  @Test
  void failedTest_keepsItsFailure_andShowsTheEvents() {
    Throwable failure = failure("fails");
    assertThat(failure).hasMessage("the test itself failed");
    assertThat(failure.getSuppressed())
        .singleElement()
        .satisfies(
            timeline -> assertThat(timeline).hasMessageContaining("0s polls: #1 HELD, HeldFuture"));
  }

  @Test
  void reachableObject_fails_namingIt() {
    assertThat(failure("leavesAReachableObject")).hasMessageContaining("still reachable:\n  [I@");
  }

  @Test
  void thread_fails_namingIt() {
    Throwable failure =
        run(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Samples.class, "leavesAThread"))
                .build());
    assertThat(failure).hasMessageContaining("a thread is left: purgatory-forgotten-clock");
  }

  @Test
  void allowedLeftovers_pass() {
    assertThat(run(Lenient.class, "leavesMuch")).isNull();
  }
}
