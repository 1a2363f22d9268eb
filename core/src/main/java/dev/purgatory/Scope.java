package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An owner of requests, such as a connection, a session or the leadership of a partition. Closing
 * it ends all its requests, in all purgatories. Thread-safe.
 *
 * <pre>{@code
 * Scope connection = Scope.of("connection 7");
 *
 * CompletableFuture<List<String>> poll(String topic) {
 *   return polls.until(() -> next(topic)).inScope(connection).forever().hold(topic);
 * }
 *
 * void onDisconnect() {
 *   connection.close();
 * }
 * }</pre>
 *
 * <p>A request can be in several scopes. When it has ended, nothing of it is kept in any of them.
 * Closing costs time in proportion to the content of the scope.
 *
 * <p>A request that is held in a closed scope ends at once, in the way in which the scope ended.
 */
public final class Scope implements AutoCloseable {

  /*
   * In each purgatory, a scope is a hidden key. So the purgatory keeps, purges and counts its requests as it
   * does those of other keys. The scope refers to the purgatory by a link, which is empty once the purgatory
   * is closed. Empty links are removed when a request is held in another purgatory.
   *
   * No request escapes the end of a scope. The closing thread writes `ending`, then walks the list. The
   * adding thread puts the request on the list, then reads `ending`. A full fence separates the two on
   * each side.
   */

  private final String name;
  private final List<Limit> limits;
  private final HiddenKey key = new HiddenKey(this);
  private final Set<AtomicReference<? extends @Nullable Purgatory<?>>> purgatories =
      ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();

  private Scope(String name, List<Limit> limits) {
    this.name = requireNonNull(name, "name");
    this.limits = limits;
  }

  /** How a scope ends its requests: it fails them, or cancels them if there is no cause. */
  private record Ending(@Nullable Throwable cause) {
    boolean end(Registration registration) {
      return cause == null ? registration.cancel() : registration.fail(cause);
    }
  }

  /**
   * Creates an open scope.
   *
   * @param name appears in {@code toString}
   * @param limits bound the requests in this scope
   * @return a new scope
   */
  public static Scope of(String name, Limit... limits) {
    return new Scope(name, List.of(limits));
  }

  List<Limit> limits() {
    return limits;
  }

  HiddenKey key() {
    return key;
  }

  /** Returns the purgatories that may have requests in this scope. */
  List<Purgatory<?>> purgatories() {
    List<Purgatory<?>> found = new ArrayList<>();
    for (AtomicReference<? extends @Nullable Purgatory<?>> link : purgatories) {
      Purgatory<?> purgatory = link.get();
      if (purgatory != null) {
        found.add(purgatory);
      }
    }
    return found;
  }

  /** Prepares for a request in this purgatory, which a closed scope ends at once. */
  void enter(Purgatory<?> purgatory) {
    if (!isClosed() && !purgatories.contains(purgatory.link())) {
      boolean unused = purgatories.removeIf(each -> each.get() == null);
      unused = purgatories.add(purgatory.link());
    }
  }

  /** Ends a request of this scope if the scope is closed. */
  void endIfClosed(Registration registration) {
    Ending how = ending.get();
    if (how != null) {
      boolean unused = how.end(registration);
    }
  }

  /** Cancels all requests in this scope. Closing again does nothing. */
  @Override
  public void close() {
    int unused = end(new Ending(null));
  }

  /**
   * Closes the scope, and fails all its requests.
   *
   * @param cause the exception for the requests
   * @return the number of requests that this call failed; 0 if the scope was closed before
   */
  public int fail(Throwable cause) {
    return end(new Ending(requireNonNull(cause, "cause")));
  }

  private int end(Ending how) {
    if (!ending.compareAndSet(null, how)) {
      return 0;
    }
    int ended = 0;
    for (Purgatory<?> purgatory : purgatories()) {
      ended += purgatory.visitHidden(key, how::end);
    }
    purgatories.clear();
    return ended;
  }

  /**
   * Returns whether the scope is closed.
   *
   * @return true once {@link #close} or {@link #fail} was called
   */
  public boolean isClosed() {
    return ending.get() != null;
  }

  @Override
  public String toString() {
    return "Scope[" + name + (isClosed() ? ", closed]" : "]");
  }
}
