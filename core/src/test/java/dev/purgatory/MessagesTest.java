package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.LogRecorder;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What users read when something fails: short, on one line, and without names of internals. */
class MessagesTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();

  private PurgatoryBuilder<Object> builder() {
    return Purgatory.builder("polls", Object.class).timer(timer);
  }

  /** What {@code toString} of a hostile key does. */
  enum Hostile {
    LONG("line\n\u001b[2Jline\r".repeat(1_000_000)),
    NULL(null),
    ERROR(null);

    private final @Nullable String text;

    Hostile(@Nullable String text) {
      this.text = text;
    }

    private @Nullable String print() {
      if (this == ERROR) {
        throw new StackOverflowError("expected");
      }
      return text;
    }

    private Object key() {
      return new Object() {
        @Override
        @SuppressWarnings("NullAway") // hostile
        public String toString() {
          return print();
        }
      };
    }

    private DelayedOperation operation() {
      return new RecordingOperation(LIMIT) {
        @Override
        @SuppressWarnings("NullAway") // hostile
        public String toString() {
          return print();
        }
      };
    }
  }

  /** A listener that keeps the default handler of errors. */
  private static final class Throwing implements PurgatoryListener {
    @Override
    public void onSignalled(Object key, boolean foundKey, int completed) {
      throw new IllegalStateException("expected");
    }

    @Override
    public void onHeld(Object operation) {
      throw new IllegalStateException("expected");
    }
  }

  @ParameterizedTest
  @EnumSource
  void logOfAFailure_withAHostileKey_isShortAndOnOneLine(Hostile hostile) throws Exception {
    Purgatory<Object> purgatory = builder().listener(new Throwing()).build();
    Object key = hostile.key();
    try (LogRecorder log = new LogRecorder()) {
      for (Runnable failing :
          List.<Runnable>of(
              () -> purgatory.signal(key),
              () -> assertThat(purgatory.untilCompleted().forever().hold(key)).isNotDone(),
              () -> purgatory.hold(hostile.operation(), List.of(key)))) {
        int before = log.messages().size();
        Threads.until( // not all errors are logged
            () -> {
              failing.run();
              return log.messages().size() > before;
            });
      }
      assertThat(log.messages())
          .filteredOn(message -> message.contains("threw for "))
          .isNotEmpty()
          .allSatisfy(
              message ->
                  assertThat(message)
                      .startsWith("LISTENER threw for ")
                      .hasSizeLessThan(1_100)
                      .matches("[\\x20-\\x7e…]*"));
    }
  }

  @Test
  void failures_nameNoInternals() {
    List<String> texts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      for (boolean withKeys : new boolean[] {false, true}) {
        read(outcome, withKeys, texts);
      }
    }
    DelayedOperation operation = new RecordingOperation(LIMIT);
    texts.add(operation + " " + operation.registration());
    Purgatory<Object> purgatory = builder().build();
    assertThat(purgatory.hold(operation, List.of("k"))).isFalse();
    texts.add(operation + " " + operation.registration());
    texts.add(failure(() -> purgatory.hold(operation, List.of("k"))));
    assertThat(operation.cancel()).isTrue();
    texts.add(operation + " " + operation.registration());
    texts.add(failure(() -> purgatory.hold(operation, List.of("k"))));
    purgatory.close();
    texts.add(failure(() -> purgatory.hold(new RecordingOperation(LIMIT), List.of("k"))));
    assertThat(texts)
        .allSatisfy(
            text ->
                assertThat(text.replaceAll("(?m)^\\s+at .*", ""))
                    .doesNotContain("null[", "Futures$", "dev.purgatory.HeldFuture"));
  }

  /** Reads all texts of a request, and of its failure if it fails. */
  private void read(Outcome outcome, boolean withKeys, List<String> texts) {
    Purgatory<Object> purgatory = builder().build();
    Scope scope = Scope.of("scope");
    HeldFuture<Object> future =
        withKeys
            ? purgatory.<Object>untilCompleted().inScope(scope).orTimeout(LIMIT).hold("a", "b")
            : purgatory.timeout(new CompletableFuture<>(), LIMIT);
    Registration registration = future.registration();
    texts.add(future + " " + registration);
    switch (outcome) {
      case COMPLETED -> assertThat(future.complete("x")).isTrue();
      case TIMED_OUT -> {
        ticker.advance(LIMIT);
        assertThat(timer.advance()).isPositive();
      }
      case CANCELLED -> {
        scope.close();
        assertThat(withKeys || future.cancel(false)).isTrue();
      }
      case FAILED ->
          assertThat(future.completeExceptionally(new IllegalStateException("expected"))).isTrue();
      case CLOSED -> purgatory.close();
    }
    Threads.until(future::isDone);
    texts.add(future + " " + registration);
    if (outcome != Outcome.COMPLETED) {
      texts.add(failure(future::join));
      texts.add(failure(future::get));
      texts.add(failure(future::awaitAnswer));
      texts.add(failure(() -> future.thenApply(value -> value).join()));
    }
  }

  /** A call that throws. */
  @FunctionalInterface
  private interface Call {
    @Nullable Object run() throws Exception;
  }

  /** Returns what a log shows of the failure of a call. */
  private static String failure(Call call) {
    try {
      Object unused = call.run();
    } catch (Throwable e) {
      StringWriter text = new StringWriter();
      e.printStackTrace(new PrintWriter(text));
      return text.toString();
    }
    throw new AssertionError("did not fail");
  }
}
