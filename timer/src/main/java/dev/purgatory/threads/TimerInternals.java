package dev.purgatory.threads;

import static java.util.Objects.requireNonNull;

import dev.purgatory.wheel.WheelTimer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the library uses of a timer, and its users do not see.
 *
 * @param wheels the clock and its entries
 * @param helpers the threads that run user code
 */
public record TimerInternals(WheelTimer wheels, Helpers helpers) {

  /*
   * The class of timers is exported, so it has no public method for this. Instead, it installs the access
   * when it is initialized: before there is a timer.
   */

  private static volatile @Nullable Function<Object, TimerInternals> access;

  /**
   * Installs the access. Called once, by the class of timers.
   *
   * @param access returns the internals of a timer
   */
  public static void install(Function<Object, TimerInternals> access) {
    assert TimerInternals.access == null : "installed twice";
    TimerInternals.access = access;
  }

  /**
   * Returns the internals of a timer.
   *
   * @param timer a {@code dev.purgatory.timer.Timer}, which this package does not know
   * @return always the same
   */
  public static TimerInternals of(Object timer) {
    return requireNonNull(access).apply(timer);
  }
}
