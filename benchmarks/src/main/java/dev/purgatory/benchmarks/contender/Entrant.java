package dev.purgatory.benchmarks.contender;

/** A subject of the benchmark: one of the {@link Contenders}, or a bare timer. */
public interface Entrant {

  /** Returns the properties that all entrants have. */
  Identity identity();

  /** Returns the name in results, charts and options. */
  default String title() {
    return identity().title();
  }

  /** Returns the color in charts, as {@code 0xRRGGBB}. */
  default int rgb() {
    return identity().rgb();
  }

  /** Returns which runs measure this entrant. */
  default Group group() {
    return identity().group();
  }

  /** Returns whether this JDK has what the entrant needs. */
  default boolean isAvailable() {
    return Runtime.version().feature() >= identity().oldestJdk();
  }

  /** Returns whether the drop-in must come first on the class path. */
  default boolean needsDropIn() {
    return identity().needsDropIn();
  }
}
