package dev.purgatory.checker;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What goes wrong around a purgatory. Each is drawn at a rate of its own. */
public enum Fault {
  EXCEPTION("a callback throws an exception", 0.05),
  ERROR("a callback throws an error: no memory, no stack, a failed assertion", 0.03),
  SLOW_CALLBACK("time passes while a callback runs", 0.05),
  CLOCK("the clock jumps ahead by years, stands still, or runs back", 0.15),
  INTERRUPT("the caller is interrupted", 0.05),
  EXTREME_TIMEOUT("a timeout that no clock can reach, or one of zero or less", 0.15),
  EXECUTOR("an executor rejects, drops, runs twice, or fails after it has run a task", 0.3),
  REENTRANT("a callback checks, adds, forces, cancels, purges or closes", 0.3),
  BAD_KEY("a key with the hash code of others, or one that throws", 0.1),
  MISUSE("no keys, a null, an operation handed in twice", 0.1),
  LISTENER("the listener throws", 0.05),
  CLOSED_TIMER("the timer is closed before the purgatory", 0.02);

  private final String meaning;
  private final double rate;

  Fault(String meaning, double rate) {
    this.meaning = meaning;
    this.rate = rate;
  }

  /** What it is. */
  public String meaning() {
    return meaning;
  }

  /** Its name. */
  public String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The names of all, for people. */
  public static String titles() {
    return Stream.of(values()).map(Fault::title).collect(Collectors.joining(", "));
  }

  /** The usual rates. */
  public static Map<Fault, Double> usual() {
    Map<Fault, Double> rates = new EnumMap<>(Fault.class);
    for (Fault fault : values()) {
      rates.put(fault, fault.rate);
    }
    return rates;
  }

  /** A run in which all goes well. */
  public static Map<Fault, Double> none() {
    return new EnumMap<>(Fault.class);
  }
}
