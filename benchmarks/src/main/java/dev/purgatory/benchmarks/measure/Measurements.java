package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.timer.Timers;
import java.util.List;
import java.util.stream.Stream;

/** All measurements, by the names that people and charts know them by. */
public enum Measurements {
  /** Requests a second, and what one costs, under the workload of Kafka's redesign proposal. */
  ENQUEUE("enqueue"),
  /** The same with requests that are completed by checks of their keys, as in a broker. */
  EVENTS("events"),
  /** The same with three keys that all requests wait for. */
  SAME_KEYS("same-keys"),
  /** The same from several threads at once. */
  THREADS("threads"),
  /** The same, and lateness, with wheels that are badly chosen. */
  WHEELS("wheels"),
  /** Bytes of a pending operation, bytes left of a completed one, allocation. */
  MEMORY("memory"),
  /** How late requests time out, or how early. */
  LATENESS("lateness"),
  /** What a request on very many keys costs, and what is left of it. */
  MANY_KEYS("many-keys"),
  /** How long a key with very many requests takes to complete them all. */
  WAKE_UP("wake-up"),
  /** What purgatories cost that have nothing to do. */
  IDLE("idle"),
  /** Adding and cancelling on timers alone. */
  TIMER("timer"),
  /** The smallest costs: to hold, to complete and to check once. */
  MICRO("micro");

  private final String title;

  Measurements(String title) {
    this.title = title;
  }

  /** The name. */
  public String title() {
    return title;
  }

  /** Returns everyone whom this measures on this JDK. */
  public List<Entrant> entrants() {
    return candidates().filter(Entrant::isAvailable).<Entrant>map(each -> each).toList();
  }

  private Stream<? extends Entrant> candidates() {
    return this == TIMER
        ? Stream.of(Timers.values())
        : Stream.of(Contenders.values()).filter(this::measures);
  }

  /**
   * The floor does nothing that could be late or that a key could wake up. Weak lists are there to
   * show what they cost the collector.
   */
  private boolean measures(Contenders contender) {
    return switch (this) {
      case ENQUEUE, MEMORY -> true;
      case WHEELS -> contender.hasWheel();
      case LATENESS, WAKE_UP -> contender != Contenders.FLOOR && contender != Contenders.WEAK_LISTS;
      default -> contender != Contenders.WEAK_LISTS;
    };
  }

  Measurement create() {
    return switch (this) {
      case ENQUEUE -> new EnqueueMeasurement(Workload.PLAIN);
      case EVENTS -> new EnqueueMeasurement(Workload.EVENTS);
      case SAME_KEYS -> new EnqueueMeasurement(Workload.SAME_KEYS);
      case THREADS -> new ThreadsMeasurement();
      case WHEELS -> new WheelsMeasurement();
      case MEMORY -> new MemoryMeasurement();
      case LATENESS -> new LatenessMeasurement();
      case MANY_KEYS -> new ManyKeysMeasurement();
      case WAKE_UP -> new WakeUpMeasurement();
      case IDLE -> new IdleMeasurement();
      case TIMER -> new TimerMeasurement();
      case MICRO -> new MicroMeasurement();
    };
  }

  /**
   * Finds one by its name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Measurements named(String title) {
    for (Measurements measurement : values()) {
      if (measurement.title.equals(title)) {
        return measurement;
      }
    }
    throw new IllegalArgumentException("no measurement is named " + title);
  }
}
