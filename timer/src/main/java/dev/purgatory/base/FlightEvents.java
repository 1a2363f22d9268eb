package dev.purgatory.base;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Records events for Java Flight Recorder. Records nothing if the runtime has no module {@code
 * jdk.jfr}. Never throws.
 */
public final class FlightEvents {

  /*
   * The library works without the module jdk.jfr. So this class names none of its types, and only
   * FlightEventTypes does. Without the module, the compiler removes every check of an event.
   *
   * Loading the types of the events takes a tenth of a second, as the recorder then reads their
   * annotations and makes code for them. So they are loaded only after a recorder was made, which every
   * recording needs: by a timer that is created then, or else by the first event. Other threads do not wait
   * for that, and record nothing during it. Until then, a check reads one field of the JDK. A listener of the
   * recorder could load them at once, but to add one loads twenty classes of the recorder.
   *
   * An event that is off costs its check: it reads no clock and allocates nothing. So each event begins
   * with a method that returns false or null when the event is off, and callers do no other work.
   *
   * Recording may fail, for instance for lack of memory, and calls `toString` of the user's objects. Both
   * are contained: an event that cannot be recorded is lost.
   */

  /** False without the module jdk.jfr. */
  private static final boolean AVAILABLE = canAskForARecorder();

  /** Set by the thread that loads the types, which is not tried again. */
  private static final AtomicBoolean LOADING = new AtomicBoolean();

  private static volatile boolean loaded;

  private FlightEvents() {}

  private static boolean canAskForARecorder() {
    try {
      FlightEventTypes.Recorder.exists();
      return true;
    } catch (Throwable e) {
      return false; // there is no such module, or no memory
    }
  }

  /** Loads the types of the events if there is a recorder, so that the first event is not slow. */
  public static void prepare() {
    areOn();
  }

  /** Returns whether there is a recorder and the types are loaded. */
  private static boolean areOn() {
    return AVAILABLE && FlightEventTypes.Recorder.exists() && (loaded || load());
  }

  private static boolean load() {
    if (LOADING.compareAndSet(false, true)) {
      try {
        loaded = FlightEventTypes.CALL != null; // loads the class, and those of the events
      } catch (Throwable e) {
        // There is no memory: nothing is recorded.
      }
    }
    return loaded;
  }

  /** A callback that runs, and is recorded if it is slow. */
  public interface Call {

    /**
     * Ends the callback.
     *
     * @param purgatory its name; null for a task of a timer
     * @param kind the kind of code that ran
     * @param of the request or the task for which it ran
     */
    void end(@Nullable String purgatory, String kind, Object of);
  }

  /** A sweep that runs, and is recorded if it is slow. */
  public interface Sweep {

    /**
     * Ends the sweep.
     *
     * @param purgatory its name; null for a timer
     * @param kind the kind of entries
     * @param visited the number of entries or keys
     * @param removed the number of entries
     */
    void end(@Nullable String purgatory, String kind, long visited, long removed);
  }

  /**
   * Begins a callback.
   *
   * @return to be ended; null if callbacks are not recorded
   */
  public static @Nullable Call beginCall() {
    return areOn() && FlightEventTypes.CALL.isEnabled() ? FlightEventTypes.beginCall() : null;
  }

  /**
   * Begins a sweep.
   *
   * @return to be ended; null if sweeps are not recorded
   */
  public static @Nullable Sweep beginSweep() {
    return areOn() && FlightEventTypes.SWEEP.isEnabled() ? FlightEventTypes.beginSweep() : null;
  }

  /**
   * Runs a task of a timer.
   *
   * @param task its exceptions are not caught
   */
  public static void run(Runnable task) {
    Call call = beginCall();
    try {
      task.run();
    } finally {
      if (call != null) {
        call.end(null, "task", task);
      }
    }
  }

  /**
   * Returns whether late timeouts are recorded.
   *
   * @return true if {@link #lateTimeout} may be called
   */
  public static boolean recordsLateTimeouts() {
    return areOn() && FlightEventTypes.LATE_TIMEOUT.isEnabled();
  }

  /**
   * Records that a request timed out, if it was late. Called after {@link #recordsLateTimeouts}.
   *
   * @param purgatory its name
   * @param lateNanos the time since the deadline
   * @param heldNanos how long the request was held
   */
  public static void lateTimeout(String purgatory, long lateNanos, long heldNanos) {
    FlightEventTypes.lateTimeout(purgatory, lateNanos, heldNanos);
  }

  /**
   * Returns whether it is recorded that a timer's clock is late.
   *
   * @return true if {@link #lateClock} may be called
   */
  public static boolean recordsLateClocks() {
    return areOn() && FlightEventTypes.LATE_CLOCK.isEnabled();
  }

  /**
   * Records that a timer has reached a tick, if that was late. Called after {@link
   * #recordsLateClocks}.
   *
   * @param lateNanos the time since the tick was due
   * @param fired the number of timeouts that fired at it
   */
  public static void lateClock(long lateNanos, int fired) {
    FlightEventTypes.lateClock(lateNanos, fired);
  }

  /**
   * Records that a request was refused, or that an executor refused a task.
   *
   * @param purgatory its name
   * @param kind the part that refused it
   * @param reason the exception
   */
  public static void rejection(String purgatory, String kind, Throwable reason) {
    if (areOn() && FlightEventTypes.REJECTION.isEnabled()) {
      FlightEventTypes.rejection(purgatory, kind, reason);
    }
  }
}
