package dev.purgatory.checker;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A fault that is injected around a purgatory, each at its own rate. */
public enum Fault {
  EXCEPTION("a callback throws an exception", 0.05),
  ERROR("a callback throws an error: out of memory, stack overflow, failed assertion", 0.03),
  SLOW_CALLBACK("time passes while a callback runs", 0.05),
  CLOCK("the clock jumps ahead by years or centuries, stands still, or runs backwards", 0.15),
  INTERRUPT("the calling thread is interrupted, or a callback leaves its thread interrupted", 0.05),
  EXTREME_TIMEOUT("a timeout that no clock reaches, or one of zero", 0.15),
  EXECUTOR(
      "an executor rejects a task, drops it, runs it twice, blocks, or fails after running it",
      0.3),
  REENTRANT("a callback signals, adds, completes, cancels, purges or closes", 0.3),
  BAD_KEY("a key with the hash code of other keys, or one that throws", 0.1),
  MISUSE("no keys, a null argument, an operation that is added twice", 0.1),
  DEAD_THREAD("a thread of the library dies", 0.3),
  LISTENER("the listener throws", 0.05),
  CLOSED_TIMER("the timer is closed before the purgatory", 0.02);

  private final String meaning;
  private final double rate;

  Fault(String meaning, double rate) {
    this.meaning = meaning;
    this.rate = rate;
  }

  /** Returns what the fault is. */
  public String meaning() {
    return meaning;
  }

  /** Returns the name for the command line. */
  public String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the names of all faults, separated by commas. */
  public static String titles() {
    return Stream.of(values()).map(Fault::title).collect(Collectors.joining(", "));
  }

  /** Returns the usual rates. */
  public static Map<Fault, Double> usual() {
    Map<Fault, Double> rates = new EnumMap<>(Fault.class);
    for (Fault fault : values()) {
      rates.put(fault, fault.rate);
    }
    return rates;
  }

  /** Returns the rates for runs without faults. */
  public static Map<Fault, Double> none() {
    return new EnumMap<>(Fault.class);
  }
}
