package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture;
import dev.purgatory.HeldRequest;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.Scope;
import dev.purgatory.base.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replies that are awaited on one instance of a service and given on any: the reply to a message, a
 * webhook, the decision of a person. Thread-safe.
 *
 * <pre>{@code
 * AnswerStore store = new KafkaAnswerStore(Map.of("bootstrap.servers", servers), "approvals");
 * SharedReplies<String> approvals =
 *     new SharedReplies<>("approvals", store, String::getBytes, String::new);
 *
 * String ask(Request request) {
 *   String id = approvals.newId();
 *   askSomebody(id, request);
 *   return id;
 * }
 *
 * CompletableFuture<String> poll(String id) { // on any instance, as often as you like
 *   return approvals.await(id, Duration.ofSeconds(30));
 * }
 *
 * CompletableFuture<Completion<String>> decide(String id, String decision) { // on any instance
 *   return approvals.complete(id, decision);
 * }
 * }</pre>
 *
 * <p>Each id has one answer: the first that any instance gives. Everybody who awaits the id gets
 * this one, and everybody who gives another one learns of it. The answer is durable, a wait is not:
 * it ends with its instance, and somebody who is still interested awaits the id again, here or
 * elsewhere.
 *
 * <p>An id is valid in its table only, on all instances with the same name and key of the table.
 * Other ids are refused before anything else happens. Without a key, this finds mistakes only: a
 * stranger who knows this library can forge an id. With a key, only the service makes ids.
 *
 * <p>Answers are decoded and delivered on up to 16 threads of this table. Dependents that block for
 * long delay those of other answers once they occupy all; they belong on an executor of yours.
 *
 * @param <A> the type of the answers
 */
public final class SharedReplies<A> implements AutoCloseable {

  /*
   * A wait is a request without a condition, and a future of the store that follows the id. Each ends the
   * other. The request is held first, so that its limits and scopes decide before the store does any work.
   * Decoding and what depends on an answer run on threads of this table, never on one of the store. The common
   * pool would not do: on two processors it has one thread, which a dependent can block.
   *
   * Equal waits are held and followed one by one here; the store joins them.
   *
   * All ids have a tag, and are checked before anything else happens. So a store gets ids of its tables only:
   * it can trust what an id says about itself if the table has a key, and no table meets answers of another.
   */

  private static final int THREADS = 16;
  private static final long IDLE_SECONDS = 1;

  private final Purgatory<String> purgatory;
  private final AnswerStore store;
  private final Ids ids;
  private final Function<? super A, byte[]> encode;
  private final Function<byte[], ? extends A> decode;
  private final ThreadPoolExecutor threads;

  /**
   * Creates a table of replies with a timer of its own, and without a key.
   *
   * @param name the name of the table: the same on all instances, and another one for each table of
   *     the store. It is part of all ids, and appears in messages and {@code toString}
   * @param store keeps the answers. Several tables can share it, and it is not closed with one
   * @param encode returns the bytes of an answer; called by the thread that gives it
   * @param decode returns the answer with these bytes, which it must not change
   */
  public SharedReplies(
      String name,
      AnswerStore store,
      Function<? super A, byte[]> encode,
      Function<byte[], ? extends A> decode) {
    this(name, null, Purgatory.builder(name, String.class).build(), store, encode, decode);
  }

  /**
   * Creates a table of replies on a purgatory that is built for it, for instance with a limit, and
   * with a key: its ids cannot be forged. Use one wherever ids come back from outside.
   *
   * @param name as above
   * @param key a secret of the service, at least 16 random bytes, the same on all instances; null
   *     for none. With another key, the ids that are open are refused
   * @param purgatory holds the futures; it must not be used for anything else, and is closed with
   *     this table
   * @param store as above
   * @param encode as above
   * @param decode as above
   * @throws IllegalArgumentException if the key is too short
   */
  public SharedReplies(
      String name,
      byte @Nullable [] key,
      Purgatory<String> purgatory,
      AnswerStore store,
      Function<? super A, byte[]> encode,
      Function<byte[], ? extends A> decode) {
    this.ids = new Ids(requireNonNull(name, "name"), key);
    this.purgatory = requireNonNull(purgatory, "purgatory");
    this.store = requireNonNull(store, "store");
    this.encode = requireNonNull(encode, "encode");
    this.decode = requireNonNull(decode, "decode");
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Threads.daemons("purgatory-shared-replies"));
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs a task on another thread, or here if no thread can be started. */
  private void deliver(Runnable task) {
    try {
      threads.execute(task);
    } catch (Throwable e) {
      Foreign.call(task);
    }
  }

  /**
   * Returns a new id, which is cheaper to await than one of your own: see the store.
   *
   * @return an id that cannot be guessed, printable ASCII characters without spaces, at most 85
   * @throws AnswerStoreException if the store can make none, such as one whose clock is wrong
   */
  public String newId() {
    return ids.id(store.newId());
  }

  /**
   * Returns the id of something that has a name already, such as an order or a tool call. Each
   * instance gets the same id for a name. Without the key of this table, nobody can guess it.
   *
   * @param name 1 to 216 printable ASCII characters without spaces
   * @return an id of this table only
   * @throws IllegalArgumentException if the name is not valid
   */
  public String ownId(String name) {
    return ownId(name, Instant.EPOCH);
  }

  /**
   * Returns the id of something that has a name and a time, such as an order and when it was
   * placed. Each instance gets the same id for the same name and time. Over Kafka, it is cheaper
   * than one without a time: an instance does not read what was written before.
   *
   * @param name as above
   * @param since no answer is given before. Milliseconds count; the time must not be far in the
   *     future, as for an id of {@link #newId}
   * @return an id of this table only
   * @throws IllegalArgumentException if the name is not valid, or the time is before 1970 or after
   *     2286
   */
  public String ownId(String name, Instant since) {
    return ids.own(name, since);
  }

  /**
   * Awaits an answer, which may have been given already.
   *
   * @param id from {@link #newId} or {@link #ownId}, on any instance. Any number of callers can
   *     await it
   * @param timeout how long to wait here. Zero: it times out at once. 146 years or more: no time
   *     limit
   * @param scopes end the wait with them, for instance the scope of the connection
   * @return the answer. Cancel it to give up. It fails with a {@link TimeoutException}, also if the
   *     store is unavailable until then; with the exception of the store if that is closed or
   *     refuses access; with a {@link PurgatoryClosedException} if this table is closed
   * @throws IllegalArgumentException if the id is not one of this table, or the timeout is negative
   */
  public HeldFuture<A> await(String id, Duration timeout, Scope... scopes) {
    HeldFuture<A> held =
        purgatory.<A>untilCompleted().inScope(scopes).orTimeout(timeout).hold(ids.checked(id));
    if (held.isDone()) {
      return held;
    }
    try {
      follow(id, new Delivery(held));
    } catch (Throwable e) {
      boolean unusedCancel = held.cancel(false);
      throw e;
    }
    return held;
  }

  private void follow(String id, Delivery delivery) {
    CompletableFuture<byte[]> answer = store.follow(id);
    try {
      var unused = delivery.held.whenComplete((value, error) -> answer.cancel(false));
      var unusedToo = answer.whenComplete(delivery);
    } catch (Throwable e) { // without memory
      boolean unusedCancel = answer.cancel(false);
      throw e;
    }
  }

  /** Delivers an answer. It is made before: when the answer comes, there may be no memory. */
  private final class Delivery
      implements BiConsumer<byte @Nullable [], @Nullable Throwable>, Runnable {
    final HeldFuture<A> held;

    // Written before this is handed to a thread.
    private byte @Nullable [] bytes;
    private @Nullable Throwable error;

    Delivery(HeldFuture<A> held) {
      this.held = held;
    }

    @Override
    public void accept(byte @Nullable [] bytes, @Nullable Throwable error) {
      this.bytes = bytes;
      this.error = error;
      if (!held.isDone()) {
        deliver(this);
      }
    }

    @Override
    public void run() {
      if (bytes == null) {
        boolean unused = held.completeExceptionally(requireNonNull(error));
        return;
      }
      try {
        boolean unused = held.complete(decoded(bytes));
      } catch (Throwable e) {
        boolean unused = held.completeExceptionally(e);
      }
    }
  }

  /**
   * Gives an answer, whether or not somebody awaits it.
   *
   * @param id the id of the request, as for {@link #await}
   * @param answer the answer
   * @return whether it is the answer that everybody gets, or which one is; fails with an {@link
   *     AnswerStoreException} if that cannot be found out in time. Then give the answer again
   * @throws IllegalArgumentException if the id is not one of this table
   */
  public CompletableFuture<Completion<A>> complete(String id, A answer) {
    return delivered(
        store.complete(ids.checked(id), encoded(answer)),
        completion ->
            new Completion<>(
                completion.won(), completion.won() ? answer : decoded(completion.answer())));
  }

  /**
   * Gives an answer without asking whether it is the first. A consumer of messages, for instance,
   * need not know. Over Kafka, it reads nothing.
   *
   * @param id the id of the request, as for {@link #await}
   * @param answer the answer
   * @return completes when the answer is stored, or another one was stored before; fails as {@link
   *     #complete}
   * @throws IllegalArgumentException if the id is not one of this table
   */
  public CompletableFuture<Void> offer(String id, A answer) {
    return delivered(store.offer(ids.checked(id), encoded(answer)), Function.identity());
  }

  private byte[] encoded(A answer) {
    byte[] bytes = encode.apply(requireNonNull(answer, "answer"));
    return requireNonNull(bytes, "bytes of the answer");
  }

  /** Converts a result on a thread of this table. */
  private <S, T> CompletableFuture<T> delivered(
      CompletableFuture<S> ofStore, Function<? super S, T> convert) {
    return ofStore.handleAsync( // thenApplyAsync would pass on an error on the thread of the store
        (result, error) -> {
          if (error != null) {
            throw error instanceof CompletionException known
                ? known
                : new CompletionException(error);
          }
          return convert.apply(result);
        },
        this::deliver);
  }

  private A decoded(byte[] bytes) {
    try {
      return requireNonNull(decode.apply(bytes), "decoded answer");
    } finally {
      boolean unused = Thread.interrupted(); // of the decoder: dependents follow on this thread
    }
  }

  /**
   * Returns the number of waits on this instance.
   *
   * @return 0 or more, exact
   */
  public long pending() {
    return purgatory.pending();
  }

  /**
   * Lists the waits on this instance, for a screen or a log: see {@link
   * dev.purgatory.Inspection#held}.
   *
   * @return a description of each, the oldest first
   */
  public List<HeldRequest<String>> held() {
    return purgatory.inspect().held();
  }

  /** Closes the purgatory, which fails all waits on this instance. The store stays open. */
  @Override
  public void close() {
    purgatory.close();
  }

  @Override
  public String toString() {
    return "SharedReplies[" + purgatory + ']';
  }
}
