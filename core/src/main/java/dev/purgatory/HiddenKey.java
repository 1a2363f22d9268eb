package dev.purgatory;

/**
 * What a scope or a key set is among the keys of a purgatory. Only the library has it, so no key of
 * a user is equal to it, not even the scope or the key set itself.
 */
final class HiddenKey {
  final Object owner;

  HiddenKey(Object owner) {
    this.owner = owner;
  }

  /** Returns this as a key. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // it is hashed and compared
  <K> K asKey() {
    return (K) this;
  }

  @Override
  public String toString() {
    return owner.toString();
  }
}
