package dev.purgatory.base;

import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingControl;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * The types of the events of {@link FlightEvents}, which loads this class only if the runtime has
 * the module {@code jdk.jfr} and a recorder.
 */
final class FlightEventTypes {

  /*
   * The constants are never recorded: they answer whether an event of their type would be, and load its
   * class before memory can be exhausted. Nothing here asks for an EventType, which would start the
   * recorder.
   */

  static final SlowCallback CALL = new SlowCallback();
  static final SweepEvent SWEEP = new SweepEvent();
  static final LateTimeout LATE_TIMEOUT = new LateTimeout();
  static final LateClock LATE_CLOCK = new LateClock();
  static final Rejection REJECTION = new Rejection();

  private FlightEventTypes() {}

  /** Apart, so that asking does not load the types. */
  static final class Recorder {
    private Recorder() {}

    /** Returns whether a recorder was made. Loads nothing of it. */
    static boolean exists() {
      return FlightRecorder.isInitialized();
    }
  }

  @Name("dev.purgatory.SlowCallback")
  @Label("Slow Callback")
  @Description("Code of the user that a purgatory or a timer called, including what it called")
  @Category("Purgatory")
  @Enabled(false) // it reads the clock twice for each callback
  @Threshold("10 ms")
  static final class SlowCallback extends Event implements FlightEvents.Call {
    @Label("Purgatory")
    @Description("Its name; null for a task of a timer")
    @Nullable String purgatory;

    @Label("Kind")
    @Description("condition, answer, listener, executor or task")
    @Nullable String kind;

    @Label("Request")
    @Description("The request or the task for which it ran")
    @Nullable String request;

    @Override
    public void end(@Nullable String itsPurgatory, String itsKind, Object of) {
      try {
        end();
        if (shouldCommit()) {
          purgatory = itsPurgatory;
          kind = itsKind;
          request = ForeignText.of(of);
          commit();
        }
      } catch (Throwable e) {
        // The event is lost.
      }
    }
  }

  @Name("dev.purgatory.Sweep")
  @Label("Sweep")
  @Description("Entries of ended requests were removed")
  @Category("Purgatory")
  @Threshold("1 ms")
  @StackTrace(false)
  static final class SweepEvent extends Event implements FlightEvents.Sweep {
    @Label("Purgatory")
    @Description("Its name; null for a timer")
    @Nullable String purgatory;

    @Label("Kind")
    @Description("entries or keys of watch lists, or timer")
    @Nullable String kind;

    @Label("Visited")
    @Description("The number of entries, or of keys")
    long visited;

    @Label("Removed")
    @Description("The number of entries that were removed")
    long removed;

    @Override
    public void end(@Nullable String itsPurgatory, String itsKind, long looked, long gone) {
      try {
        end();
        if (shouldCommit()) {
          purgatory = itsPurgatory;
          kind = itsKind;
          visited = looked;
          removed = gone;
          commit();
        }
      } catch (Throwable e) {
        // The event is lost.
      }
    }
  }

  /** What is late. The events inherit the annotations of the class. */
  @Category("Purgatory")
  @StackTrace(false)
  abstract static class Late extends Event {
    @Label("Lateness")
    @Description("The time since the deadline or the tick, on the clock of the timer")
    @Timespan
    long lateness;

    @SettingDefinition
    @Name("lateness")
    @Label("Lateness")
    @Description("Record events that are at least so late")
    boolean isLate(LatenessSetting setting) {
      return setting.admits(lateness);
    }
  }

  @Name("dev.purgatory.LateTimeout")
  @Label("Late Timeout")
  @Description("A request timed out later than its deadline")
  static final class LateTimeout extends Late {
    @Label("Purgatory")
    @Nullable String purgatory;

    @Label("Held")
    @Description("How long the request was held, on the clock of the timer")
    @Timespan
    long held;
  }

  @Name("dev.purgatory.LateClock")
  @Label("Late Clock")
  @Description("A timer reached a tick later than it was due")
  static final class LateClock extends Late {
    @Label("Fired")
    @Description("The number of timeouts that fired at this tick")
    int fired;
  }

  @Name("dev.purgatory.Rejection")
  @Label("Rejection")
  @Description("A request was refused, or an executor refused a task")
  @Category("Purgatory")
  static final class Rejection extends Event {
    @Label("Purgatory")
    @Nullable String purgatory;

    @Label("Kind")
    @Description("limit, closed or executor")
    @Nullable String kind;

    @Label("Reason")
    @Description("The exception")
    @Nullable String reason;
  }

  /** A setting like {@code threshold}, for a time that is not the duration of the event. */
  static final class LatenessSetting extends SettingControl {
    private static final String DEFAULT = "10 ms";

    private static final Pattern TIMESPAN = Pattern.compile(" *(\\d{1,18}) *(ns|us|ms|s|m|h|d) *");

    private volatile String combined = DEFAULT;
    private volatile String value = DEFAULT;
    private volatile long nanos = nanos(DEFAULT);

    boolean admits(long late) {
      return late >= nanos;
    }

    /** Returns the least value, which serves all recordings. */
    @Override
    public String combine(Set<String> values) {
      combined =
          values.stream().min(Comparator.comparingLong(LatenessSetting::nanos)).orElse(DEFAULT);
      return combined;
    }

    /** Sets a value. JDK 17 passes null instead of what {@link #combine} has returned. */
    @Override
    public void setValue(@Nullable String next) {
      String chosen = next == null ? combined : next;
      nanos = nanos(chosen);
      value = chosen;
    }

    @Override
    public String getValue() {
      return value;
    }

    /** Returns the default for what is not a time span, as the recorder does for its settings. */
    private static long nanos(String timespan) {
      Matcher parts = TIMESPAN.matcher(timespan);
      return parts.matches()
          ? unit(parts.group(2)).toNanos(Long.parseLong(parts.group(1)))
          : nanos(DEFAULT);
    }

    private static TimeUnit unit(String symbol) {
      return switch (symbol) {
        case "ns" -> TimeUnit.NANOSECONDS;
        case "us" -> TimeUnit.MICROSECONDS;
        case "ms" -> TimeUnit.MILLISECONDS;
        case "s" -> TimeUnit.SECONDS;
        case "m" -> TimeUnit.MINUTES;
        case "h" -> TimeUnit.HOURS;
        default -> TimeUnit.DAYS;
      };
    }
  }

  static FlightEvents.@Nullable Call beginCall() {
    try {
      SlowCallback call = new SlowCallback();
      call.begin();
      return call;
    } catch (Throwable e) {
      return null;
    }
  }

  static FlightEvents.@Nullable Sweep beginSweep() {
    try {
      SweepEvent sweep = new SweepEvent();
      sweep.begin();
      return sweep;
    } catch (Throwable e) {
      return null;
    }
  }

  static void lateTimeout(String purgatory, long lateNanos, long heldNanos) {
    try {
      LateTimeout event = new LateTimeout();
      event.purgatory = purgatory;
      event.lateness = lateNanos;
      event.held = heldNanos;
      event.commit();
    } catch (Throwable e) {
      // The event is lost.
    }
  }

  static void lateClock(long lateNanos, int fired) {
    try {
      LateClock event = new LateClock();
      event.lateness = lateNanos;
      event.fired = fired;
      event.commit();
    } catch (Throwable e) {
      // The event is lost.
    }
  }

  static void rejection(String purgatory, String kind, Throwable reason) {
    try {
      Rejection event = new Rejection();
      event.purgatory = purgatory;
      event.kind = kind;
      event.reason = ForeignText.of(reason);
      event.commit();
    } catch (Throwable e) {
      // The event is lost.
    }
  }
}
