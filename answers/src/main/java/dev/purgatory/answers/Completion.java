package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

/**
 * The result of giving an answer.
 *
 * @param won whether the answer that was given is the one that everybody gets; false if another one
 *     came before it
 * @param answer the answer that everybody gets
 * @param <A> the type of the answers
 */
public record Completion<A>(boolean won, A answer) {

  /**
   * Checks that there is an answer.
   *
   * @param won as above
   * @param answer as above
   */
  public Completion {
    requireNonNull(answer, "answer");
  }
}
