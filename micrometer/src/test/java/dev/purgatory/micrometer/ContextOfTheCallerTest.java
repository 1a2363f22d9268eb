package dev.purgatory.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Conditions and dependents have the context of the caller, not that of the thread that signals.
 */
class ContextOfTheCallerTest {

  /** Holds a request in the context of the caller; the test then signals in another one. */
  private static List<@Nullable Object> seen(
      Purgatory<String> polls,
      Supplier<@Nullable Object> current,
      Runner caller,
      Runner signaller) {
    List<@Nullable Object> seen = new ArrayList<>();
    List<HeldFuture<String>> held = new ArrayList<>();
    caller.run(
        () ->
            held.add(
                polls
                    .until(
                        () -> {
                          seen.add(current.get());
                          return seen.size() > 2 ? "answer" : null;
                        })
                    .orTimeout(Duration.ofMinutes(1))
                    .hold("a")));
    var unused = held.get(0).thenRun(() -> seen.add(current.get()));
    Object before = current.get();
    signaller.run(
        () -> {
          Object own = current.get();
          assertThat(polls.signal("a")).isEqualTo(1);
          assertThat(current.get()).isSameAs(own);
        });
    assertThat(current.get()).isSameAs(before);
    return seen;
  }

  private interface Runner {
    void run(Runnable task);
  }

  @Test
  void snapshotOfMicrometer_isCarried() {
    ObservationRegistry registry = ObservationRegistry.create();
    ObservationHandler<Observation.Context> handler = context -> true;
    registry.observationConfig().observationHandler(handler);
    // sample: observations-context
    ContextSnapshotFactory contexts = ContextSnapshotFactory.builder().build();
    Purgatory<String> polls =
        Purgatory.builder("polls", String.class).context(() -> contexts.captureAll()::wrap).build();
    // end
    Observation caller = Observation.start("caller", registry);
    Observation signaller = Observation.start("signaller", registry);
    assertThat(seen(polls, registry::getCurrentObservation, caller::scoped, signaller::scoped))
        .hasSize(4)
        .allMatch(each -> each == caller);
    polls.close();
  }

  @Test
  void contextOfOpenTelemetry_isCarried() {
    // sample: observations-opentelemetry
    Purgatory<String> polls =
        Purgatory.builder("polls", String.class).context(() -> Context.current()::wrap).build();
    // end
    ContextKey<String> user = ContextKey.named("user");
    assertThat(
            seen(
                polls,
                () -> Context.current().get(user),
                task -> Context.current().with(user, "caller").wrap(task).run(),
                task -> Context.current().with(user, "signaller").wrap(task).run()))
        .containsExactly("caller", "caller", "caller", "caller");
    polls.close();
  }
}
