package dev.purgatory.checker;

import java.util.Objects;

/**
 * A key.
 *
 * @param number tells it from others
 * @param kind how it behaves
 */
record Key(int number, Kind kind) {

  enum Kind {
    PLAIN,
    /** All have one hash code. */
    COLLIDING,
    /** All have the least hash code. */
    LEAST_HASH,
    /** Cannot be looked up. */
    THROWING
  }

  /** What a {@link Kind#THROWING} one throws. */
  static final class Unusable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unusable() {
      super("a key without a hash code");
    }
  }

  /** Whether it throws where it is looked up. */
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
