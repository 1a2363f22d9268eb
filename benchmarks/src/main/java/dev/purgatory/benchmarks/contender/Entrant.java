package dev.purgatory.benchmarks.contender;

/** Someone who is measured: one of the {@link Contenders}, or a timer by itself. */
public interface Entrant {

  /** Returns its name in results, charts and options. */
  String title();

  /** Returns its colour in charts, as {@code 0xRRGGBB}. */
  int rgb();

  /** Returns which runs measure it. */
  Group group();

  /** Returns whether this JDK has what it needs. */
  boolean isAvailable();

  /** Returns whether the drop-in must come first on its class path. */
  boolean needsDropIn();
}
