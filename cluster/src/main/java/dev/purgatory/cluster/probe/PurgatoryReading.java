package dev.purgatory.cluster.probe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * What the MBean of a purgatory says at a moment. An application and the drop-in have different
 * MBeans: what one of them lacks is null, or 0 if it is a count.
 *
 * @param name the name of the purgatory
 * @param pending requests that are held
 * @param oldestMillis how long the oldest of them has been held; 0 if there is none
 * @param nextDueMillis when the clock wakes up next, from now; -1 if nothing is scheduled
 * @param lateMillis the 99th percentile of the lateness of timeouts
 * @param unanswered ended requests that wait for an executor
 * @param counts what has happened since the purgatory was built
 */
public record PurgatoryReading(
    String name,
    long pending,
    @Nullable Long oldestMillis,
    @Nullable Long nextDueMillis,
    @Nullable Double lateMillis,
    long unanswered,
    Counts counts) {

  /**
   * Counts, or rates per second.
   *
   * @param held requests that were held
   * @param completed held requests that an event completed
   * @param timedOut held requests that timed out
   * @param cancelled held requests that were cancelled; of the drop-in, also those that failed or
   *     were closed
   * @param failed held requests that failed
   * @param closed held requests that ended with the purgatory
   * @param refused requests that were refused
   * @param errors exceptions of conditions, answers, executors and listeners
   */
  public record Counts(
      double held,
      double completed,
      double timedOut,
      double cancelled,
      double failed,
      double closed,
      double refused,
      double errors) {

    /**
     * Returns what has happened in each second since an earlier reading.
     *
     * @param earlier the counts of the earlier reading
     * @param seconds the time between the readings, above 0
     */
    public Counts perSecondSince(Counts earlier, double seconds) {
      return new Counts(
          (held - earlier.held) / seconds,
          (completed - earlier.completed) / seconds,
          (timedOut - earlier.timedOut) / seconds,
          (cancelled - earlier.cancelled) / seconds,
          (failed - earlier.failed) / seconds,
          (closed - earlier.closed) / seconds,
          (refused - earlier.refused) / seconds,
          (errors - earlier.errors) / seconds);
    }
  }

  /**
   * Reads the MBeans of all purgatories of a JVM.
   *
   * @return the purgatories, ordered by name; empty if the JVM has no MBean of one
   * @throws IOException if the JVM cannot be reached
   */
  public static List<PurgatoryReading> readAll(JmxConnection jmx) throws IOException {
    List<PurgatoryReading> readings = new ArrayList<>();
    for (ObjectName bean : jmx.find("dev.purgatory:type=Purgatory,*")) {
      PurgatoryReading reading = read(jmx, bean);
      if (reading != null) {
        readings.add(reading);
      }
    }
    readings.sort(Comparator.comparing(PurgatoryReading::name));
    return readings;
  }

  /** Returns null if the purgatory was closed meanwhile. */
  private static @Nullable PurgatoryReading read(JmxConnection jmx, ObjectName bean)
      throws IOException {
    if (!(jmx.read(bean, "Pending") instanceof Long pending)) {
      return null;
    }
    boolean ofBroker = bean.getKeyProperty("broker") != null;
    Counts counts =
        new Counts(
            jmx.readLong(bean, "Held"),
            jmx.readLong(bean, "Completed"),
            jmx.readLong(bean, ofBroker ? "Expired" : "TimedOut"),
            jmx.readLong(bean, "Cancelled"),
            jmx.readLong(bean, "Failed"),
            jmx.readLong(bean, "Closed"),
            jmx.readLong(bean, "Refused"),
            jmx.readLong(bean, "Errors"));
    return new PurgatoryReading(
        Optional.ofNullable(jmx.read(bean, "Name"))
            .map(Object::toString)
            .orElseGet(() -> bean.getKeyProperty("name")),
        pending,
        jmx.read(bean, "OldestMillis") instanceof Long oldest ? oldest : null,
        jmx.read(bean, "NextDueMillis") instanceof Long due ? due : null,
        jmx.read(bean, "LatenessMsP99") instanceof Double late ? late : null,
        jmx.readLong(bean, "Unanswered"),
        counts);
  }
}
