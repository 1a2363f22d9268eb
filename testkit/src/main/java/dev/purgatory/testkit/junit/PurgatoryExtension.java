package dev.purgatory.testkit.junit;

import dev.purgatory.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a {@link VirtualTime}, as a parameter of the test or of its {@code @BeforeEach}
 * and {@code @AfterEach} methods. After the test it fails the test if something is left. After the
 * {@code @AfterEach} methods it closes the time, and fails the test if callbacks throw then.
 *
 * <pre>{@code
 * @ExtendWith(PurgatoryExtension.class)
 * class PollsTest {
 *   @Test
 *   void poll_timesOut(VirtualTime time) {
 *     Purgatory<String> polls = time.purgatory("polls", String.class);
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p>If a test fails, the events up to then are added to its failure, as a suppressed exception.
 */
public final class PurgatoryExtension
    implements BeforeEachCallback,
        AfterTestExecutionCallback,
        AfterEachCallback,
        ParameterResolver {

  /** What a test may leave behind. */
  public enum Leftover {
    /** Operations without an answer, scheduled tasks, and queued tasks. */
    PENDING,
    /** Errors that were thrown and not {@linkplain VirtualTime#takeErrors() taken}. */
    ERRORS,
    /** Objects that were {@linkplain VirtualTime#track tracked} and are reachable. */
    REACHABLE,
    /**
     * Threads of purgatories, with names that begin with {@code purgatory-}. Allow these if tests
     * run concurrently in one JVM.
     */
    THREADS
  }

  private static final Namespace NAMESPACE = Namespace.create(PurgatoryExtension.class);
  private static final String THREAD_PREFIX = "purgatory-";

  /** In real time. Idle threads of a purgatory that is open end after a second. */
  private static final long THREAD_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Set<Leftover> allowed;

  /** Creates an extension that allows nothing to be left. */
  public PurgatoryExtension() {
    this(Set.of());
  }

  private PurgatoryExtension(Set<Leftover> allowed) {
    this.allowed = allowed;
  }

  /**
   * Creates an extension for {@code @RegisterExtension}.
   *
   * @param leftovers what the tests may leave behind
   * @return a new extension
   */
  public static PurgatoryExtension allowing(Leftover... leftovers) {
    return new PurgatoryExtension(Set.copyOf(List.of(leftovers)));
  }

  private static final class State {
    final VirtualTime time = VirtualTime.create();
    final Set<Thread> threadsBefore = threads();
    boolean reported;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    store(context).put(State.class, new State());
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == VirtualTime.class
        && store(context).get(State.class) != null;
  }

  @Override
  public VirtualTime resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return state(context).time;
  }

  /** Checks before the test's own {@code @AfterEach} methods, which may end what is pending. */
  @Override
  public void afterTestExecution(ExtensionContext context) {
    State state = state(context);
    if (context.getExecutionException().isEmpty()) {
      List<AssertionError> failures = new ArrayList<>();
      check(Leftover.ERRORS, state.time::assertNoErrors, failures);
      check(Leftover.PENDING, state.time::assertNothingPending, failures);
      check(Leftover.REACHABLE, state.time::assertNothingReachable, failures);
      state.reported = !failures.isEmpty();
      throwAny(failures);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    State state = state(context);
    List<AssertionError> failures = new ArrayList<>();
    Throwable failure = context.getExecutionException().orElse(null);
    if (failure != null && !state.reported) {
      failure.addSuppressed(new Timeline(state.time));
    }
    state.time.close();
    if (failure == null) {
      check(Leftover.ERRORS, state.time::assertNoErrors, failures);
    }
    if (!allowed.contains(Leftover.THREADS)) {
      checkThreads(state.threadsBefore, failures);
    }
    throwAny(failures);
  }

  private static void throwAny(List<AssertionError> failures) {
    if (!failures.isEmpty()) {
      AssertionError first = failures.get(0);
      failures.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
  }

  private void check(Leftover leftover, Runnable assertion, List<AssertionError> failures) {
    if (!allowed.contains(leftover)) {
      try {
        assertion.run();
      } catch (AssertionError e) {
        failures.add(e);
      }
    }
  }

  private static void checkThreads(Set<Thread> before, List<AssertionError> failures)
      throws InterruptedException {
    long end = System.nanoTime() + THREAD_PATIENCE_NANOS;
    for (Thread thread : threads()) {
      if (!before.contains(thread)) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        if (thread.isAlive()) {
          AssertionError left =
              new AssertionError(
                  "a thread is left: "
                      + thread.getName()
                      + ". Was its purgatory closed? Its stack trace:");
          left.setStackTrace(thread.getStackTrace());
          failures.add(left);
        }
      }
    }
  }

  private static Set<Thread> threads() {
    Set<Thread> threads = Thread.getAllStackTraces().keySet();
    threads.removeIf(thread -> !thread.getName().startsWith(THREAD_PREFIX));
    return threads;
  }

  private static State state(ExtensionContext context) {
    State state = store(context).get(State.class, State.class);
    if (state == null) {
      throw new IllegalStateException("beforeEach has not run");
    }
    return state;
  }

  private static Store store(ExtensionContext context) {
    return context.getStore(NAMESPACE);
  }

  /** Not an error: shows what happened before a test failed. */
  private static final class Timeline extends RuntimeException {
    private static final long serialVersionUID = 1;

    Timeline(VirtualTime time) {
      super(time.toString(), null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    }
  }
}
