package dev.purgatory.wheel;

import dev.purgatory.base.Mutex;

/** Changes the tick and the wheel size of a timer while it runs. Thread-safe. */
final class WheelSettings {

  /*
   * The caller of `change` does all the work: for each stripe, it puts new wheels in place, and then moves
   * the entries of the former ones, a few per acquisition of the stripe's lock. Schedulers use the new
   * wheels at once; drivers fire from both. So nobody waits, and no driver has to be woken to move
   * entries.
   *
   * While wheels with different ticks are in use, an entry of the shorter tick may be due before one with
   * an earlier deadline. A driver that is late therefore fires in steps of the longest tick: all entries
   * of the step are collected, and sorted by their deadlines.
   */

  private final Stripe[] stripes;
  private final Sleep sleep;
  private final Mutex changing = new Mutex();
  private volatile long longestTick;

  WheelSettings(Stripe[] stripes, Sleep sleep, long tickNanos) {
    this.stripes = stripes;
    this.sleep = sleep;
    this.longestTick = tickNanos;
  }

  /** See {@link WheelTimer#reconfigure}. */
  void change(long nextTick, int nextSize) {
    changing.lock();
    try {
      longestTick = Math.max(longestTick, nextTick);
      for (Stripe stripe : stripes) {
        moveAll(stripe); // if the last call failed
        stripe.exchange(nextTick, nextSize);
        moveAll(stripe);
      }
      longestTick = nextTick;
    } finally {
      changing.unlock();
    }
  }

  private void moveAll(Stripe stripe) {
    boolean more;
    do {
      more = stripe.moveSome();
      sleep.wakeBy(stripe.nextDue()); // with a shorter tick, entries are due earlier
    } while (more);
  }

  /** Returns the end of the longest tick that this time is in. */
  long endOfTick(long due) {
    long tick = longestTick;
    long past = due % tick;
    long end = past == 0 ? due : due + (tick - past);
    return end < due ? TimingWheels.NEVER : end;
  }
}
