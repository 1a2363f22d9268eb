package dev.purgatory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A condition that is also evaluated when thresholds are reached, until the request has ended. */
final class Reaching<T> implements Supplier<@Nullable T> {

  /*
   * The adding thread fills `marks` before the request is held, and the thread that ends the request
   * empties it: the state of the registration orders the two.
   */

  private final Supplier<? extends @Nullable T> condition;
  private final List<Runnable> unmark = new ArrayList<>(1);

  Reaching(Supplier<? extends @Nullable T> condition) {
    this.condition = condition;
  }

  @Override
  public @Nullable T get() {
    return condition.get();
  }

  void begin(List<Thresholds.Point<?>> points, Registration registration) {
    for (Thresholds.Point<?> point : points) {
      unmark.add(point.mark(registration));
    }
  }

  void end() {
    unmark.forEach(Runnable::run);
  }
}
