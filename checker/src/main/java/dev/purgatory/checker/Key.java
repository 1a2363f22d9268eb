package dev.purgatory.checker;

import java.util.Objects;

/**
 * A key of an operation.
 *
 * @param number the number of the key
 * @param kind how {@code hashCode} behaves
 */
record Key(int number, Kind kind) {

  enum Kind {
    PLAIN,
    /** All keys of this kind have the same hash code. */
    COLLIDING,
    /** All keys of this kind have the smallest hash code. */
    LEAST_HASH,
    /** {@code hashCode} throws. */
    THROWING
  }

  /** Thrown by keys of the kind {@link Kind#THROWING}. */
  static final class Unusable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unusable() {
      super("a key without a hash code");
    }
  }

  /** Returns whether looking the key up throws. */
  boolean isUnusable() {
    return kind == Kind.THROWING;
  }

  @Override
  public int hashCode() {
    return switch (kind) {
      case PLAIN -> Integer.hashCode(number);
      case COLLIDING -> 42;
      case LEAST_HASH -> Integer.MIN_VALUE;
      case THROWING -> throw new Unusable();
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key && key.number == number && Objects.equals(key.kind, kind);
  }

  @Override
  public String toString() {
    return kind == Kind.PLAIN ? "k" + number : "k" + number + "-" + kind;
  }
}
