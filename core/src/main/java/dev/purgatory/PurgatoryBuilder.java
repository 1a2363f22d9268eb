package dev.purgatory;

/**
 * Sets up a {@link Purgatory}.
 *
 * @param <K> the type of the keys
 */
public final class PurgatoryBuilder<K> extends PurgatorySettings<PurgatoryBuilder<K>> {

  PurgatoryBuilder(String name) {
    super(name);
  }

  @Override
  PurgatoryBuilder<K> self() {
    return this;
  }

  /** Sets how many entries of ended operations may stay on the lists, for tests. */
  PurgatoryBuilder<K> purgeInterval(int entries) {
    purgeInterval = entries;
    return this;
  }

  /**
   * Creates the purgatory. Without a {@link #timer}, also starts a timer with a thread.
   *
   * @return a new purgatory
   * @throws IllegalStateException if its {@link #mxBean} cannot be registered
   */
  public Purgatory<K> build() {
    return create(
        timer -> new Purgatory<>(this, timer, /* awaitsReplies= */ false), Purgatory::core);
  }
}
