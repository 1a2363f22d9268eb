package dev.purgatory.watch;

/**
 * The key under which a purgatory stores the operations of a scope or a key group. Only the library
 * has it, so no key of a user is equal to it, not even the scope or the key group itself.
 */
public final class HiddenKey {
  private final Object owner;

  /**
   * Creates a key.
   *
   * @param owner a scope or a key group
   */
  public HiddenKey(Object owner) {
    this.owner = owner;
  }

  /**
   * Returns whose key this is.
   *
   * @return a scope or a key group
   */
  public Object owner() {
    return owner;
  }

  /**
   * Returns this as a key.
   *
   * @param <K> the type of the keys
   * @return this
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // it is hashed and compared
  public <K> K asKey() {
    return (K) this;
  }

  @Override
  public String toString() {
    return owner.toString();
  }
}
