package dev.purgatory.internal;

/** What entries need of their timer. Keeps this package independent of the timer's. */
public interface EntryTimer {

  /**
   * Returns the time on this timer's clock.
   *
   * @return nanoseconds, 0 or more
   */
  long now();

  /**
   * Schedules an entry.
   *
   * @param entry an entry that was not scheduled before
   * @param now a recent time on this timer's clock
   * @throws IllegalStateException if the entry was scheduled before, or the timer is closed
   */
  void schedule(TimerEntry entry, long now);

  /**
   * Schedules an entry unless the timer is closed.
   *
   * @param entry an entry that was not scheduled before
   * @param now a recent time on this timer's clock
   * @return false if the timer is closed
   * @throws IllegalStateException if the entry was scheduled before
   */
  boolean trySchedule(TimerEntry entry, long now);

  /**
   * Cancels an entry.
   *
   * @param entry any entry
   * @return true if it was scheduled and will not fire
   */
  boolean cancel(TimerEntry entry);

  /**
   * Returns whether the timer drives its own clock.
   *
   * @return false if the caller drives it
   */
  boolean hasThread();

  /**
   * Returns whether the current thread is the clock's.
   *
   * @return false if the timer has no thread
   */
  boolean isClock();

  /**
   * Returns whether the current thread may start threads: it is the clock's, or the timer has none.
   *
   * @return true also if the timer is closed
   */
  boolean isDrivenHere();

  /**
   * Returns the threads that run callbacks.
   *
   * @return the threads of this timer
   */
  Helpers helpers();
}
