package dev.purgatory.console;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.purgatory.Diagnostics;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a purgatory at a moment. What its source does not know is null; of the counts, 0.
 *
 * @param name the name of the purgatory
 * @param pending requests that are held
 * @param unanswered ended requests that wait for an executor
 * @param oldestMillis how long the oldest held request has been held; 0 if there is none
 * @param nextDueMillis when the clock of the timer wakes up next, in milliseconds from now; -1 if
 *     nothing is scheduled
 * @param lateMillis the 99th percentile of the time between deadline and timeout, since the start
 * @param counts what has happened since the start; null without diagnostics or an MBean
 */
public record PurgatoryReading(
    String name,
    long pending,
    long unanswered,
    @Nullable Long oldestMillis,
    @Nullable Long nextDueMillis,
    @Nullable Double lateMillis,
    @Nullable Counts counts) {

  private static final String[] ATTRIBUTES = {
    "Name", "Pending", "Unanswered", "OldestMillis", "NextDueMillis", "LatenessMsP99", "Held",
    "Completed", "TimedOut", "Expired", "Cancelled", "Failed", "Closed", "Errors"
  };

  /**
   * Counts, or rates per second.
   *
   * @param held requests that were held
   * @param completed held requests that were completed
   * @param timedOut held requests that timed out; with diagnostics, also requests that were
   *     completed at their time limit
   * @param cancelled held requests that were cancelled; of the drop-in, also failed and closed ones
   * @param failed held requests that failed
   * @param closed held requests that ended with the purgatory
   * @param errors exceptions of conditions, answers, executors and listeners; 0 with diagnostics
   */
  public record Counts(
      double held,
      double completed,
      double timedOut,
      double cancelled,
      double failed,
      double closed,
      double errors) {

    /**
     * Returns what has happened in each second since an earlier reading.
     *
     * @param earlier the counts of the earlier reading
     * @param seconds the time between the readings, above 0
     * @return the rates; 0 where the count is lower now, after a restart or a reset
     */
    public Counts perSecondSince(Counts earlier, double seconds) {
      return new Counts(
          Math.max(0, held - earlier.held) / seconds,
          Math.max(0, completed - earlier.completed) / seconds,
          Math.max(0, timedOut - earlier.timedOut) / seconds,
          Math.max(0, cancelled - earlier.cancelled) / seconds,
          Math.max(0, failed - earlier.failed) / seconds,
          Math.max(0, closed - earlier.closed) / seconds,
          Math.max(0, errors - earlier.errors) / seconds);
    }
  }

  /**
   * Reads the MBeans of all purgatories of a JVM: those of {@link
   * dev.purgatory.PurgatoryBuilder#mxBean} and those of the drop-in for Kafka.
   *
   * @param jvm a connection to the JVM
   * @return the purgatories, ordered by name; empty if the JVM has no such MBean
   * @throws IOException if the JVM cannot be reached
   */
  public static List<PurgatoryReading> readAll(MBeanServerConnection jvm) throws IOException {
    List<PurgatoryReading> readings = new ArrayList<>();
    try {
      for (ObjectName bean :
          jvm.queryNames(new ObjectName("dev.purgatory:type=Purgatory,*"), null)) {
        try {
          readings.add(read(jvm, bean));
        } catch (InstanceNotFoundException e) {
          // It has just been closed.
        }
      }
    } catch (JMException e) {
      throw new IOException("the MBeans cannot be read: " + e.getMessage(), e);
    }
    readings.sort(Comparator.comparing(PurgatoryReading::name));
    return readings;
  }

  private static PurgatoryReading read(MBeanServerConnection jvm, ObjectName bean)
      throws JMException, IOException {
    Map<String, Object> values = new HashMap<>();
    for (Attribute found : jvm.getAttributes(bean, ATTRIBUTES).asList()) {
      values.put(found.getName(), found.getValue());
    }
    return new PurgatoryReading(
        requireNonNullElse(values.get("Name"), bean.getKeyProperty("name")).toString(),
        count(values, "Pending"),
        count(values, "Unanswered"),
        values.get("OldestMillis") instanceof Long oldest ? oldest : null,
        values.get("NextDueMillis") instanceof Long due ? due : null,
        values.get("LatenessMsP99") instanceof Double late ? late : null,
        new Counts(
            count(values, "Held"),
            count(values, "Completed"),
            count(values, "TimedOut") + count(values, "Expired"), // the drop-in's name for it
            count(values, "Cancelled"),
            count(values, "Failed"),
            count(values, "Closed"),
            count(values, "Errors")));
  }

  private static long count(Map<String, Object> values, String name) {
    return values.get(name) instanceof Number number ? number.longValue() : 0;
  }

  /** Reads a purgatory of this JVM, whose oldest request has been held for this long. */
  static PurgatoryReading of(Purgatory<?> purgatory, @Nullable Duration oldest) {
    long now = purgatory.timer().now();
    long due = purgatory.timer().nextDue();
    long pending = purgatory.pending();
    Diagnostics diagnostics = purgatory.inspect().diagnostics();
    return new PurgatoryReading(
        purgatory.name(),
        pending,
        purgatory.inspect().unanswered(),
        oldest == null ? 0 : oldest.toMillis(),
        due == Long.MAX_VALUE ? -1 : Math.max(0, due - now) / 1_000_000,
        diagnostics == null ? null : diagnostics.lateNanos().percentile(99) / 1e6,
        diagnostics == null ? null : counts(diagnostics, pending));
  }

  /** Requests held = ended + still held, apart from ends during the reading. */
  private static Counts counts(Diagnostics diagnostics, long pending) {
    Map<Outcome, Long> ended = new HashMap<>();
    long held = pending;
    for (Outcome outcome : Outcome.values()) {
      long count = diagnostics.heldNanos(outcome).count();
      ended.put(outcome, count);
      held += count;
    }
    long completed = requireNonNull(ended.get(Outcome.COMPLETED));
    long timedOut = requireNonNull(ended.get(Outcome.TIMED_OUT));
    long completedAtLimit =
        Math.max(0, Math.min(completed, diagnostics.lateNanos().count() - timedOut));
    return new Counts(
        held,
        completed - completedAtLimit,
        timedOut + completedAtLimit,
        requireNonNull(ended.get(Outcome.CANCELLED)),
        requireNonNull(ended.get(Outcome.FAILED)),
        requireNonNull(ended.get(Outcome.CLOSED)),
        0);
  }
}
