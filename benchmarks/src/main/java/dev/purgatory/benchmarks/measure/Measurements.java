package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.feature.Lineup;
import dev.purgatory.benchmarks.timer.Timers;
import java.util.List;
import java.util.stream.Stream;

/** All measurements, with their names in options and charts. */
public enum Measurements {
  /** The rate and the cost of requests under the workload of Kafka's redesign proposal. */
  ENQUEUE("enqueue"),
  /** The same with the heap of a broker, in a JVM that has run for a long time. */
  STEADY("steady"),
  /** The same in the first seconds of a JVM, compilers included. */
  YOUNG("young"),
  /** The same with requests that are completed by checks of their keys, as in a broker. */
  EVENTS("events"),
  /** The same with all requests on the same three keys. */
  SAME_KEYS("same-keys"),
  /** The same from several threads. */
  THREADS("threads"),
  /** The bytes of pending and completed operations, and allocation. */
  MEMORY("memory"),
  /** The lateness and earliness of timeouts. */
  LATENESS("lateness"),
  /** The cost of an operation on very many keys, and how much of it remains. */
  MANY_KEYS("many-keys"),
  /** The cost of idle purgatories. */
  IDLE("idle"),
  /** Adding and cancelling timeouts on bare timers. */
  TIMER("timer"),
  /** The same from more and more threads. */
  TIMER_THREADS("timer-threads"),
  /** Adding and cancelling now and then, on a machine that is idle otherwise. */
  PACED_TIMER("timer-pace"),
  /** Cancelling timeouts on another thread than the one that adds them. */
  FAR_CANCEL("timer-cancel"),
  /** Timeouts of bare timers that are due together. */
  TIMER_BURST("timer-burst"),
  /** The cost of single calls: hold, complete and check. */
  MICRO("micro"),
  /** An advance that satisfies few of many waiters. */
  NUMBERS("thresholds"),
  /** Replies by the ids of their requests. */
  REPLIES("replies"),
  /** Timeouts on stages, by the name that they have in the published results. */
  STAGE_TIMEOUTS("limits"),
  /** Touching one of many sessions. */
  SESSIONS("sessions");

  private final String title;

  Measurements(String title) {
    this.title = title;
  }

  /** Returns the name in options and results. */
  public String title() {
    return title;
  }

  /** Returns the entrants that this measurement includes on this JDK. */
  public List<Entrant> entrants() {
    return candidates().filter(Entrant::isAvailable).<Entrant>map(each -> each).toList();
  }

  private Stream<? extends Entrant> candidates() {
    return switch (this) {
      case TIMER, PACED_TIMER -> Stream.of(Timers.values());
      case TIMER_THREADS, FAR_CANCEL -> Stream.of(Timers.values()).filter(Timers::isThreadSafe);
      case TIMER_BURST -> Stream.of(Timers.values()).filter(Timers::runsTasks);
      case NUMBERS -> Lineup.NUMBERS.rivals().stream();
      case REPLIES -> Lineup.REPLIES.rivals().stream();
      case STAGE_TIMEOUTS -> Lineup.STAGE_TIMEOUTS.rivals().stream();
      case SESSIONS -> Lineup.SESSIONS.rivals().stream();
      default -> Stream.of(Contenders.values()).filter(this::measures);
    };
  }

  /**
   * Excludes the floor where nothing can be late. Weak lists are included only to show their cost
   * for the garbage collector.
   */
  private boolean measures(Contenders contender) {
    return switch (this) {
      case ENQUEUE -> true;
      case MEMORY -> contender != Contenders.WEAK_LISTS && contender != Contenders.MAP_FJP;
      case LATENESS -> contender != Contenders.FLOOR && contender != Contenders.WEAK_LISTS;
      default -> contender != Contenders.WEAK_LISTS;
    };
  }

  Measurement create() {
    return switch (this) {
      case ENQUEUE, STEADY, YOUNG -> new EnqueueMeasurement(Workload.PLAIN);
      case EVENTS -> new EnqueueMeasurement(Workload.EVENTS);
      case SAME_KEYS -> new EnqueueMeasurement(Workload.SAME_KEYS);
      case THREADS -> new ThreadsMeasurement();
      case MEMORY -> new MemoryMeasurement();
      case LATENESS -> LatenessRun::measure;
      case MANY_KEYS -> new ManyKeysMeasurement();
      case IDLE -> new IdleMeasurement();
      case TIMER, TIMER_THREADS -> TimerMeasurements::replace;
      case PACED_TIMER -> TimerMeasurements::pace;
      case FAR_CANCEL -> TimerMeasurements::cancelFar;
      case TIMER_BURST -> TimerMeasurements::burst;
      case MICRO -> new MicroMeasurement();
      case NUMBERS -> new NumbersMeasurement();
      case REPLIES -> new RepliesMeasurement();
      case STAGE_TIMEOUTS -> new StageTimeoutsMeasurement();
      case SESSIONS -> new SessionsMeasurement();
    };
  }

  /**
   * Returns the measurement with a name.
   *
   * @throws IllegalArgumentException if no measurement has this name
   */
  public static Measurements named(String title) {
    for (Measurements measurement : values()) {
      if (measurement.title.equals(title)) {
        return measurement;
      }
    }
    throw new IllegalArgumentException("unknown measurement: " + title);
  }
}
