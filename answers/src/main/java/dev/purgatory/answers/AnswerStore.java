package dev.purgatory.answers;

import java.util.concurrent.CompletableFuture;

/**
 * Keeps one answer for each id: the first. All instances of a service use the same store. Its
 * answers outlive the instances, until they are deleted by age.
 *
 * <p>Implementations are thread-safe. They complete futures on threads of their own, on which no
 * dependent may block; {@link SharedReplies} passes answers on to other threads. Nobody may change
 * the arrays.
 */
public interface AnswerStore extends AutoCloseable {

  /**
   * Returns an id that nobody else has: it contains 122 random bits, so it cannot be guessed.
   *
   * @return printable ASCII characters without spaces, at most 64
   * @throws AnswerStoreException if it can make none that all instances accept
   */
  String newId();

  /**
   * Gives an answer, unless there is one.
   *
   * @param id 1 to 255 printable ASCII characters without spaces
   * @param answer the answer
   * @return completes when it is decided which answer everybody gets; fails with an {@link
   *     AnswerStoreException} if that cannot be found out in time, and with an {@link
   *     IllegalStateException} if the store is closed
   */
  CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer);

  /**
   * Gives an answer without asking which one is the first. A store can do this with less work than
   * {@link #complete}.
   *
   * @param id as above
   * @param answer the answer
   * @return completes when the answer is stored, or another one was stored before; fails as {@link
   *     #complete}
   */
  default CompletableFuture<Void> offer(String id, byte[] answer) {
    return complete(id, answer).thenAccept(completion -> {});
  }

  /**
   * Follows an id.
   *
   * @param id as above
   * @return completes with the answer, whether it was given before or is given later; cancel it to
   *     end that. It stays incomplete while the store is unavailable. It fails if the store is
   *     closed or refuses access
   */
  CompletableFuture<byte[]> follow(String id);

  /**
   * Returns what to watch in production.
   *
   * @return zeros, unless the store counts
   */
  default AnswerStoreMetrics metrics() {
    return new AnswerStoreMetrics(0, 0, 0, 0, 0, 0);
  }

  /**
   * Ends all threads and connections of the store. Futures that are not done fail with an {@link
   * IllegalStateException}; an answer that was being given may have been stored.
   */
  @Override
  void close();
}
