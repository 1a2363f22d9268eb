package dev.purgatory.benchmarks.contender;

/**
 * The properties that contenders and timers have in common.
 *
 * @param title the name in results, charts and options
 * @param rgb the color in charts, as {@code 0xRRGGBB}
 * @param group which runs measure the entrant
 * @param oldestJdk the first JDK that has what the entrant needs
 * @param needsDropIn whether the drop-in must come first on the class path
 */
public record Identity(String title, int rgb, Group group, int oldestJdk, boolean needsDropIn) {
  /** The {@code oldestJdk} of entrants that run on any JDK. */
  public static final int ANY_JDK = 0;

  /** Returns the same identity under another name. */
  public Identity withTitle(String otherTitle) {
    return new Identity(otherTitle, rgb, group, oldestJdk, needsDropIn);
  }
}
