package dev.purgatory.examples;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.KeyGroup;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.Thresholds;
import dev.purgatory.session.Sessions;
import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.throttle.Rate;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * docs/use/exceptions.md lists the exceptions that users meet. Each row is provoked here, and its
 * type and message are compared.
 */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // calls that throw return none
class ExceptionsInDocsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([A-Z]\\w+)` \\| `([^|]+)` \\| \\S.* \\|$");
  private static final Pattern THROWS = Pattern.compile("@throws ([A-Z]\\w+(?:\\.[A-Z]\\w+)*)");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = VirtualTime.create();
  private final Purgatory<String> polls = time.purgatory("polls", String.class);

  @AfterEach
  void close() {
    polls.close();
    time.close();
  }

  @Test
  void eachRow_isWhatIsThrown() throws IOException {
    List<String> thrown =
        provoked().stream().map(each -> each.toString().replaceFirst("^[a-z.]+", "")).toList();
    assertThat(rows()).containsExactlyElementsOf(thrown);
  }

  /** The types in the Javadoc of the libraries. */
  @Test
  void eachTypeThatTheJavadocNames_isOnThePage() throws IOException {
    String page = page();
    for (String module : List.of("timer", "core", "executor", "netty", "answers", "testkit")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          THROWS
              .matcher(Files.readString(file))
              .results()
              .forEach(found -> assertThat(page).contains("`" + found.group(1) + "`"));
        }
      }
    }
  }

  private List<Throwable> provoked() {
    return List.of(
        future(() -> polls.untilCompleted().orTimeout(Duration.ZERO).hold("a")),
        future(
            () -> {
              HeldFuture<Object> held = polls.untilCompleted().forever().hold("a", "b");
              polls.cancelForKey("a");
              return held;
            }),
        future(
            () -> {
              Scope scope = Scope.of("connection");
              HeldFuture<Object> held = polls.untilCompleted().inScope(scope).forever().hold("a");
              scope.close();
              return held;
            }),
        future(
            () -> {
              Purgatory<String> closed = time.purgatory("old", String.class);
              closed.close();
              return closed.untilCompleted().forever().hold("a");
            }),
        future(
            () -> {
              Timer timer = Timer.builder().build();
              Purgatory<String> old = Purgatory.builder("old", String.class).timer(timer).build();
              timer.close();
              return old.untilCompleted().orTimeout(SECOND).hold("a");
            }),
        future(
            () -> {
              Purgatory<String> small = limited(Limit.builder("clients").requests(1));
              HeldFuture<Object> unused = small.untilCompleted().forever().hold("a");
              return small.untilCompleted().forever().hold("a");
            }),
        future(
            () -> {
              Purgatory<String> small = limited(Limit.builder("clients").requests(1).evictOldest());
              HeldFuture<Object> oldest = small.untilCompleted().forever().hold("a");
              HeldFuture<Object> unused = small.untilCompleted().forever().hold("a");
              return oldest;
            }),
        future(() -> polls.until(() -> false).forever().hold("a")),
        future(() -> polls.until(Optional::empty).forever().hold("a")),
        thrown(() -> polls.untilCompleted().forever().hold()),
        thrown(() -> polls.untilCompleted().orTimeout(SECOND.negated())),
        thrown(() -> polls.until(() -> null).recheckEvery(Duration.ZERO)),
        thrown(() -> polls.untilCompleted().orReturn(unused -> {})),
        thrown(
            () -> {
              KeyGroup<String> keys = polls.group(List.of("a"));
              keys.close();
              return polls.untilCompleted().forever().hold(keys);
            }),
        thrown(
            () -> {
              Never operation = new Never();
              boolean unused = polls.hold(operation, "a");
              return polls.hold(operation, "a");
            }),
        thrown(
            () -> {
              Replies<Integer, String> rpc =
                  time.replies("rpc", Integer.class, String.class).build();
              HeldFuture<String> unused = rpc.expect(7, SECOND);
              return rpc.expect(7, SECOND);
            }),
        thrown(
            () ->
                time.replies("rpc", Integer.class, String.class)
                    .build()
                    .purgatory()
                    .until(() -> null)),
        thrown(() -> new Thresholds<>(polls).reach(3, Map.of("a", 1L))),
        thrown(() -> Limit.builder("clients").build()),
        thrown(() -> Limit.builder("clients").requests(0)),
        thrown(
            () ->
                Purgatory.builder("polls", String.class)
                    .exception(Outcome.COMPLETED, unused -> new IllegalStateException())),
        thrown(() -> Timer.builder().tick(Duration.ZERO)),
        thrown(() -> time.timer().schedule(() -> {}, SECOND.negated())),
        thrown(
            () -> {
              Timer timer = Timer.builder().build();
              timer.close();
              return timer.schedule(() -> {}, SECOND);
            }),
        thrown(
            () -> {
              Sessions<String, String> sessions =
                  new Sessions<>(time.timer(), SECOND, unused -> {});
              sessions.close();
              return sessions.open("client", "connection");
            }),
        thrown(() -> Rate.perSecond(0)));
  }

  private Purgatory<String> limited(Limit.Builder limit) {
    return time.builder("polls", String.class).limit(limit.build()).build();
  }

  private static Throwable thrown(Supplier<Object> call) {
    Throwable thrown = catchThrowable(call::get);
    assertThat(thrown).isNotNull();
    return thrown;
  }

  private static Throwable future(Supplier<? extends HeldFuture<?>> call) {
    HeldFuture<?> future = call.get();
    assertThat(future).isCompletedExceptionally();
    return requireNonNull(future.cause());
  }

  /** An operation that is never ready. */
  private static final class Never extends DelayedOperation {
    Never() {
      super(SECOND);
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}

    @Override
    public String toString() {
      return "Write 5";
    }
  }

  private static List<String> rows() throws IOException {
    return ROW.matcher(page())
        .results()
        .map((MatchResult row) -> row.group(1) + ": " + row.group(2))
        .toList();
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/use/exceptions.md"));
  }
}
