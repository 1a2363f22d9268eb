package dev.purgatory;

import java.util.ArrayList;
import java.util.List;

/**
 * The terms on which a request is held, besides its keys and its time limit. Immutable.
 *
 * @param scopes end the request with them
 * @param points the thresholds that it waits for
 * @param weight its weight for limits; negative: the adapter knows it
 * @param recheckNanos the period of evaluations without a signal; 0: none
 * @param alone whether no other operation may wait on its key
 */
record Terms(
    List<Scope> scopes,
    List<Thresholds.Point<?>> points,
    long weight,
    long recheckNanos,
    boolean alone) {

  /** Those of an operation that is held on keys and nothing else. */
  static final Terms NONE = new Terms(List.of(), List.of(), -1, 0, false);

  /** Those of a reply. */
  static final Terms ALONE = new Terms(List.of(), List.of(), -1, 0, true);

  Terms in(List<Scope> more) {
    return more.isEmpty()
        ? this
        : new Terms(joined(scopes, more), points, weight, recheckNanos, alone);
  }

  Terms reaching(Thresholds.Point<?> point) {
    return new Terms(scopes, joined(points, List.of(point)), weight, recheckNanos, alone);
  }

  Terms weighing(long newWeight) {
    return new Terms(scopes, points, newWeight, recheckNanos, alone);
  }

  Terms recheckedEvery(long nanos) {
    return new Terms(scopes, points, weight, nanos, alone);
  }

  private static <E> List<E> joined(List<? extends E> some, List<? extends E> more) {
    List<E> all = new ArrayList<>(some);
    all.addAll(more);
    return List.copyOf(all);
  }
}
